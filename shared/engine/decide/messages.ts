// What is said while a step is open: to whoever works on it, to the person, or too early and therefore parked.
//   MS1  What belongs to a step that was not reached yet is parked and handed to that step when it starts. Everything
//        else, and whatever nobody is sure of, goes to those who work on the current step.
//   MS2  What a person says opens a new turn: a report that did not know of it is late, and nothing said is missed.
import type { Decision, Verdict } from '../model/decision.ts';
import type { Json } from '../model/json.ts';
import type { SignalOf } from '../model/signal.ts';
import type { SaidItem } from '../model/state.ts';
import { findStep, type Step } from '../model/workflow.ts';
import { assignees } from './assign.ts';
import { whyFirst } from './comes-first.ts';
import { deferredIn, type Draft } from './draft.ts';
import { actingAnyhow } from './legal.ts';
import { refuse, settle, staleTurn, violate } from './outcome.ts';
import { isKeeper } from './permissions.ts';

/** From here on a guess counts; below it the message is handed on unjudged. */
export const SURE = 0.6;

/** The conversation that is kept in the state. */
const KEPT_MESSAGES = 20;
const KEPT_CHARACTERS = 16_000;

type Side = 'user' | 'agent';

export function onMessage(draft: Draft, signal: SignalOf<'message'>): Decision {
  const { workflow, from, step, actor } = draft;
  const works = actingAnyhow(workflow, from, step, actor) !== null;
  const keeps = isKeeper(from, actor);
  const side: Side = signal.body.from ?? (keeps ? 'user' : 'agent');
  if (side === 'user' ? !keeps : !works)
    return violate(
      draft,
      signal,
      'role_not_allowed',
      side === 'user'
        ? 'Only the owner or an admin speaks for the user here.'
        : `Only who works on step "${step.id}" may speak for it.`,
    );
  const late = staleTurn(draft, signal.body.turn);
  if (late) return late;
  const belongs = belongsTo(draft, signal, side);
  if ('refused' in belongs) return belongs.refused;
  const { target, confidence } = belongs;
  const routed_to = { step: step.id, agent: spokesman(draft) };
  if (target && isAhead(draft, target)) {
    const reason = whyFirst(workflow, step, target, signal.body.text);
    park(draft, target, signal.body.text, reason);
    return said(draft, signal, { routed_to, deferred: { step: target.id, reason }, confidence });
  }
  deliver(draft, side, signal.body.text);
  return said(draft, signal, { routed_to, confidence });
}

function said(draft: Draft, signal: SignalOf<'message'>, routing: NonNullable<Verdict['routing']>): Decision {
  const decision = settle(draft, signal, 'stayed', { reason: routing.deferred?.reason });
  return decision.kind === 'commit' ? { ...decision, verdict: { ...decision.verdict, routing } } : decision;
}

/** The step a message is for: as its sender says, or as the classifier guessed. */
function belongsTo(
  draft: Draft,
  { body }: SignalOf<'message'>,
  side: Side,
): { target: Step | undefined; confidence: number } | { refused: Decision } {
  const { workflow, facts } = draft;
  if (body.step !== undefined) {
    const target = findStep(workflow, body.step);
    if (target && target.final === null) return { target, confidence: 1 };
    return {
      refused: refuse(draft, 'invalid_request', `"${body.step}" is not a step that messages are for.`, {
        issues: [{ path: 'step', message: 'names no step that messages are for' }],
      }),
    };
  }
  const { intent } = facts;
  if (intent?.failed) draft.note('error', 'The classifier failed; a message was handed on unjudged.');
  if (side === 'agent' || !intent || intent.step === null) return { target: undefined, confidence: 0 };
  const { step, confidence } = intent;
  return { target: confidence < SURE ? undefined : findStep(workflow, step), confidence };
}

/** Not the current one, and never reached or undone since. */
function isAhead({ from, step }: Draft, target: Step): boolean {
  const reached = from.steps[target.index];
  return target.id !== step.id && target.final === null && (!reached || reached.status === 'pending');
}

/** Into the conversation, and to whom it is said. */
export function deliver(draft: Draft, side: Side, text: string): void {
  const works = draft.status.status === 'in_progress';
  if (side === 'user' && works) draft.reassign();
  const { turn, messages = [] } = draft.record;
  const item: SaidItem = { from: side, text, by: draft.actor.sub, at: draft.now, turn };
  draft.patch({ messages: latest([...messages, item]) });
  draft.emit('workflow.message', {
    workflow_id: draft.workflow.id,
    task_id: draft.from.instance_id,
    step: draft.step.id,
    ...item,
    assigned_to: side === 'user' ? assignees(draft.step, draft.record) : [],
  });
}

/** The newest that fit; the very last always does. */
function latest(messages: readonly SaidItem[]): readonly SaidItem[] {
  let room = KEPT_CHARACTERS;
  const first = messages.findLastIndex(({ text }, i) => {
    room -= text.length;
    return room < 0 && i < messages.length - 1;
  });
  return messages.slice(Math.max(first + 1, messages.length - KEPT_MESSAGES));
}

const spokesman = ({ step, record }: Draft): string => assignees(step, record)[0] ?? 'owner';

/** Parks a message in the shared context until the step it belongs to starts. */
export function onDefer(draft: Draft, signal: SignalOf<'defer'>): Decision {
  const { workflow, from, step, actor } = draft;
  if (!isKeeper(from, actor) && actingAnyhow(workflow, from, step, actor) === null)
    return violate(draft, signal, 'role_not_allowed', 'You may not park messages here.');
  const target = findStep(workflow, signal.body.step);
  if (!target || target.id === step.id)
    return refuse(draft, 'invalid_request', `"${signal.body.step}" is not another step of this workflow.`, {
      issues: [{ path: 'step', message: 'names no other step' }],
    });
  const reached = from.steps[target.index];
  if (reached && reached.status !== 'pending')
    return refuse(draft, 'invalid_request', `"${target.id}" is done; a message is parked for a later step.`, {
      issues: [{ path: 'step', message: 'names a step that is done' }],
    });
  park(draft, target, signal.body.text, signal.body.reason ?? `"${step.id}" comes first.`);
  return settle(draft, signal, 'stayed', { reason: signal.body.reason });
}

function park(draft: Draft, target: Step, text: string, reason: string): void {
  const { step, actor, now, workflow } = draft;
  const item = { text, step: target.id, from_step: step.id, by: actor.sub, at: now };
  draft.shared = { ...draft.shared, deferred: [...deferredIn(draft.shared), item] as unknown as Json }; // plain values
  draft.emit('workflow.deferred', { workflow_id: workflow.id, ...item, reason });
}
