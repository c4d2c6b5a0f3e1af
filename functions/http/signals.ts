// Everything that writes to an instance: starting it and every way of saying something to it.
import { reportWork } from '../../shared/app/agent-work.ts';
import { completePhase } from '../../shared/app/complete-phase.ts';
import { lexicalClassifier } from '../../shared/app/intents/lexical-classifier.ts';
import { routeMessage } from '../../shared/app/route-message.ts';
import {
  CompletionRequest,
  MessageRequest,
  parseBody,
  StartRequest,
  WidgetRequest,
} from '../../shared/app/schemas.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { SignalType } from '../../shared/engine/index.ts';
import { http, type HttpRequest, ok, type Operation } from '../edge/http.ts';
import { dynamoClient, wire } from '../wiring.ts';

const app = wire(process.env, dynamoClient(), lexicalClassifier);

const telling =
  (type: SignalType): Operation =>
  ({ path: { instance_id = '' }, body, caller, key }) =>
    ok(tell(app, { instance_id, type, body, caller, key }));

const start = async ({ body, caller, key }: HttpRequest) => {
  const answer = await startInstance(app, { body: parseBody(StartRequest, body, 'start body'), caller, key });
  const location = `/api/workflows/${encodeURIComponent(answer.instance_id)}`;
  return { status: 201, body: answer, headers: { location } };
};

export const handler = http('signals', {
  start,
  signal: telling('signal'),
  message: ({ path: { instance_id = '' }, body, caller, key }) => {
    const request = parseBody(MessageRequest, body, 'message body');
    return ok(routeMessage(app, { instance_id, body: request, caller, key }));
  },
  answer: telling('answer'),
  approve: telling('approve'),
  claim: telling('claim'),
  release: telling('release'),
  heartbeat: telling('heartbeat'),
  override: telling('override'),
  cancel: telling('cancel'),
  widget: ({ path: { instance_id = '', widget_type }, body, caller, key }) => {
    const result = parseBody(WidgetRequest, body, 'widget body');
    return ok(tell(app, { instance_id, type: 'widget', body: { ...result, widget_type }, caller, key }));
  },
  completeStep: ({ path: { instance_id = '', step: phase = '' }, body, caller, key }) => {
    const handed = parseBody(CompletionRequest, body, 'completion body');
    return ok(completePhase(app, { instance_id, phase, ...handed, caller, key }));
  },
  agentWork: ({ body, caller, key }) => ok(reportWork(app, { body, caller, key })),
});
