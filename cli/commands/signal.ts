// stepgate signal: says something to the current step of an instance.
import type { Signal } from '../../client/shapes.ts';
import { type Call, type Command, EXIT } from '../command.ts';
import { describeAnswer, isSetback } from '../describe-answer.ts';
import { ask, SERVER_FLAGS } from '../server.ts';
import { given, jsonOf, objectOf, pairsOf, wholeOf } from '../values.ts';

export const signal: Command = {
  usage: 'signal ID ACTION [--outcome O] [--artifact K=V …] [--json]',
  summary: 'Send a signal: complete_step, stay, need_input, or an action such as COMMIT_CODE.',
  details:
    'Exits with 0 if it was taken, with 1 if it was refused, blocked (it says what is missing) or has failed.',
  files: 'two',
  noun: 'instance id and an action',
  flags: {
    step: { type: 'string', value: 'STEP', description: 'Refused unless this is the current step.' },
    outcome: { type: 'string', value: 'O', description: 'ok, fail, skip or iterate.' },
    data: { type: 'string', value: 'JSON', description: "Merged into the step's data." },
    evidence: { type: 'string', value: 'JSON', description: 'What the step asks to be shown.' },
    artifact: {
      type: 'list',
      value: 'K=V',
      description: 'An artifact; K:=JSON for anything but text. Repeatable.',
    },
    feedback: { type: 'string', value: 'TEXT', description: 'What a rejection has to say.' },
    reply: { type: 'string', value: 'TEXT', description: 'Told to the person.' },
    role: { type: 'string', value: 'R', description: 'Which of your roles you act in.' },
    agent: { type: 'string', value: 'A', description: 'The agent you act for.' },
    turn: { type: 'string', description: 'Refused unless this turn is still open.' },
    questions: {
      type: 'string',
      value: 'JSON',
      description: 'For need_input: 1 to 3 questions with options.',
    },
    widget: { type: 'string', value: 'W', description: 'For need_input: the widget to fill in.' },
    key: {
      type: 'string',
      value: 'KEY',
      description: 'Idempotency key: a repeat gets the first answer again.',
    },
    json: { type: 'boolean', description: 'Print what the API answers.' },
    ...SERVER_FLAGS,
  },
  run: async (call) => {
    const { files, flags, streams } = call;
    const body = signalOf(call);
    const how = flags['key'] === undefined ? {} : { idempotency_key: String(flags['key']) };
    const answer = await ask(call, (client) => client.signal(files[0] ?? '', body, how));
    streams.out(flags['json'] ? JSON.stringify(answer, null, 2) : describeAnswer(answer));
    return isSetback(answer) ? EXIT.failed : EXIT.ok;
  },
};

function signalOf({ files, flags, lists }: Call): Signal {
  const text = (flag: string): string | undefined =>
    flags[flag] === undefined ? undefined : String(flags[flag]);
  const questions =
    flags['questions'] === undefined ? undefined : jsonOf('--questions', String(flags['questions']));
  return given({
    action: files[1],
    step: text('step'),
    outcome: text('outcome'),
    data: objectOf('data', flags['data']),
    evidence: objectOf('evidence', flags['evidence']),
    artifacts: lists['artifact'] && pairsOf('artifact', lists['artifact']),
    feedback: text('feedback'),
    reply: text('reply'),
    role: text('role'),
    agent: text('agent'),
    turn: wholeOf('turn', flags['turn']),
    questions,
    widget_type: text('widget'),
  }) as Signal; // the server checks it and names what is wrong
}
