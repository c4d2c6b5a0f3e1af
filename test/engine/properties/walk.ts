// A random walk: who says what, made concrete on the state it meets, so that many moves fit and many do not.
import fc from 'fast-check';
import {
  type Actor,
  begin,
  type Commit,
  decide,
  type Decision,
  type Facts,
  type JsonObject,
  readSignal,
  type Signal,
  type SignalType,
  type State,
  SYSTEM,
} from '../../../shared/engine/index.ts';
import { digestOf } from '../../../shared/engine/digest.ts';
import type { Ground } from './definitions.ts';

export interface Said {
  readonly before: State;
  readonly signal: Signal;
  readonly actor: Actor;
  readonly facts: Facts;
  readonly now: string;
  readonly decision: Decision;
  /** What is stored afterwards: the commit's state, the violation's record, or the state as it was. */
  readonly after: State;
}

export interface Walk {
  readonly start: Extract<Decision, { kind: 'commit' }>;
  readonly said: readonly Said[];
  readonly commits: readonly Omit<Commit, 'id' | 'previous'>[];
}

export const OWNER: Actor = { sub: 'olga', kind: 'human', roles: [] };
const STRANGER: Actor = { sub: 'sam', kind: 'human', roles: ['nobody'] };
const ADMIN: Actor = { sub: 'ada', kind: 'human', roles: ['admin'] };
const ADMIN_AGENT: Actor = { sub: 'bot-admin', kind: 'agent', roles: ['admin'] };

/** Everyone: the owner, a colleague per role, an agent per role or name, admins, the clock, a stranger. */
export function castOf({ workflow }: Ground): readonly Actor[] {
  const names = [...workflow.audience];
  return [
    OWNER,
    ADMIN,
    ADMIN_AGENT,
    SYSTEM,
    STRANGER,
    ...names.map((name): Actor => ({ sub: `human-${name}`, kind: 'human', roles: [name] })),
    ...names.map((name): Actor => ({ sub: `agent-${name}`, kind: 'agent', roles: [name] })),
  ];
}

interface Move {
  readonly type: SignalType;
  readonly who: number;
  readonly pick: number;
  /** 0–9: how well it fits; low numbers bring what is asked for, 9 is noise. */
  readonly fit: number;
  readonly wait: number;
  readonly key: number;
  readonly data: JsonObject;
}

const TYPES: readonly { weight: number; arbitrary: fc.Arbitrary<SignalType> }[] = [
  { weight: 60, arbitrary: fc.constant('signal') },
  { weight: 12, arbitrary: fc.constant('approve') },
  { weight: 2, arbitrary: fc.constant('claim') },
  { weight: 3, arbitrary: fc.constantFrom('answer', 'widget') },
  { weight: 3, arbitrary: fc.constantFrom('attempt', 'deadline') },
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'release',
      'heartbeat',
      'override',
      'cancel',
      'resume',
      'retry',
      'message',
      'defer',
      'violation',
      'start',
      'forked',
      'migrate',
    ),
  },
];

const move: fc.Arbitrary<Move> = fc.record({
  type: fc.oneof(...TYPES),
  who: fc.nat(99),
  pick: fc.nat(999),
  fit: fc.nat(9),
  wait: fc.constantFrom(0, 1, 15, 400),
  key: fc.nat(30),
  data: fc.dictionary(
    fc.constantFrom('a', 'goals', 'score', 'findings', 'commit_sha', 'draft'),
    fc.constantFrom<JsonObject[string]>(null, 0, 'x', [], { severity: 'MUST' }, [{ severity: 'MUST' }]),
    { maxKeys: 2 },
  ),
});
export const moves = fc.array(move, { minLength: 10, maxLength: 60, size: 'max' });

export function walk(ground: Ground, script: readonly Move[]): Walk {
  const { workflow } = ground;
  const cast = castOf(ground);
  let time = Date.parse('2026-01-01T00:00:00.000Z');
  const startBody = { instance_id: 'i1', workflow_id: workflow.id };
  const at = new Date(time).toISOString();
  const start = begin(workflow, startBody, OWNER, at);
  let state = frozen(start.state);
  const said: Said[] = [];
  const commits: Walk['commits'][number][] = [
    { ...written(start), seq: 1, at, actor: OWNER, signal: { type: 'start', body: startBody }, facts: {} },
  ];
  for (const each of script) {
    time += each.wait * 1000;
    const now = new Date(time).toISOString();
    const signal = frozen(readSignal(each.type, bodyOf(ground, state, each), keyOf(each)) as Signal); // one of them
    const actor = actorOf(ground, state, cast, each);
    const facts = each.fit < 8 ? ground.facts : {};
    const decision = decide(workflow, state, signal, actor, facts, now);
    const after = frozen(
      decision.kind === 'commit'
        ? decision.state
        : decision.kind === 'refuse' && decision.record
          ? decision.record.state
          : state,
    );
    said.push({ before: state, signal, actor, facts, now, decision, after });
    if (after !== state) {
      const { type, body, idempotency } = signal;
      const logged = { type, body: body as JsonObject, ...(idempotency ? { idempotency } : {}) };
      commits.push({ ...written(decision), seq: after.seq, at: now, actor, signal: logged, facts });
    }
    state = after;
  }
  return { start, said, commits };
}

/** What of a decision is in its commit. */
function written(decision: Decision): Pick<Commit, 'state' | 'events' | 'verdict' | 'refusal'> {
  if (decision.kind === 'commit') return { ...pick(decision), verdict: decision.verdict };
  if (decision.kind === 'repeat' || !decision.record) throw new Error('nothing was written');
  const { code, message, details } = decision.refusal;
  const told = { code, message, ...(details ? { details: details as JsonObject } : {}) }; // plain values
  return { ...pick(decision.record), refusal: told };
}

const pick = ({ state, events }: Pick<Commit, 'state' | 'events'>) => ({ state: frozen(state), events });

/** Half of the moves come from someone the step or the type of signal is for. */
function actorOf(
  { workflow }: Ground,
  state: State,
  cast: readonly Actor[],
  { type, who, fit }: Move,
): Actor {
  const any = cast[who % cast.length] ?? OWNER;
  if (fit > 6) return any;
  if (type === 'attempt' || type === 'deadline') return SYSTEM;
  if (type === 'override') return ADMIN;
  if (type === 'signal' || type === 'claim' || type === 'heartbeat' || type === 'release') {
    const step = workflow.steps[workflow.index.get(state.current_step) ?? 0];
    const names = [...(step?.roles_in_charge ?? []), ...(step?.agents ?? [])];
    const fitting = cast.filter(({ roles }) => names.some((name) => roles.includes(name)));
    return fitting[who % Math.max(fitting.length, 1)] ?? OWNER;
  }
  return who % 3 === 0 ? ADMIN : OWNER;
}

const keyOf = ({ key, fit }: Move) =>
  key > 12 ? undefined : { key: `k${key}`, body: fit === 9 ? 'another' : 'same' };

function bodyOf(ground: Ground, state: State, { type, pick, fit, data }: Move): unknown {
  const { workflow, supply } = ground;
  const record = state.steps[workflow.index.get(state.current_step) ?? 0];
  const turn = fit > 7 ? Math.max(0, state.turn - 1) : (record?.turn ?? 0);
  const stepName = workflow.steps[pick % workflow.steps.length]?.id ?? 1;
  switch (type) {
    case 'signal':
      return signalBody(ground, state, { pick, fit, data, turn, stepName });
    case 'start':
      return { instance_id: 'i1', workflow_id: workflow.id };
    case 'fork':
      return { instance_id: 'i2', source: 'i1', at: state.seq, source_hash: 'h', state };
    case 'forked':
      return { instance_id: 'i2', at: 1 + (pick % (state.seq + 1)) };
    case 'migrate':
      return { to: fit < 5 ? workflow.version : 'nowhere' };
    case 'answer': {
      const asked = state.status === 'waiting_input' ? state.input.questions.length : 1;
      return { answers: Array.from({ length: asked }, () => 'this') };
    }
    case 'widget': {
      const asked = state.status === 'waiting_input' ? state.input.widget_type : null;
      return { widget_type: asked ?? 'list_input', items: fit < 8 ? ['one'] : [], data };
    }
    case 'approve':
      return {
        approved: pick % 4 !== 0,
        ...(pick % 3 === 0 ? { modifications: { ...supply.artifacts, ...data } } : {}),
        ...(fit < 7 ? { selected_variant: 'A', turn } : {}),
        ...(pick % 5 === 0 && record ? { digest: digestOf(record) } : {}),
      };
    case 'claim':
    case 'heartbeat':
      return pick % 2 === 0 ? {} : { lease_seconds: 100 };
    case 'release':
      return {};
    case 'override':
      return {
        reason: 'It is wrong.',
        ...(pick % 2 === 0 ? {} : { action: ground.actions[pick % ground.actions.length] ?? 'fail' }),
      };
    case 'cancel':
      return { reason: 'Enough.' };
    case 'resume':
      return pick % 2 === 0 ? {} : { from_step: stepName };
    case 'retry':
      return { error: 'It broke.' };
    case 'message':
      return { text: 'Hello.', ...(pick % 3 === 0 ? { step: stepName } : {}) };
    case 'defer':
      return { text: 'Later.', step: stepName };
    case 'attempt': {
      const judged = workflow.steps[workflow.index.get(state.current_step) ?? 0]?.triggers_retry ?? null;
      const events = ['opened', 'timed_out', 'heartbeat_lost', 'failed'];
      return { event: events[pick % 4], turn: judged === null ? turn : (state.steps[judged]?.turn ?? turn) };
    }
    case 'deadline':
      return { event: pick % 2 === 0 ? 'remind' : 'expired', turn };
    case 'violation':
      return { code: 'phase_sequence_violation', step: stepName, message: 'Read ahead.' };
  }
}

function signalBody(
  { actions, workflow, supply }: Ground,
  state: State,
  {
    pick,
    fit,
    data,
    turn,
    stepName,
  }: { pick: number; fit: number; data: JsonObject; turn: number; stepName: string | number },
): unknown {
  const step = workflow.steps[workflow.index.get(state.current_step) ?? 0];
  const own = [...(step?.by_on.keys() ?? [])].filter((on) => actions.includes(on));
  const ahead = actions.filter((on) => !own.includes(on));
  const general = ['complete_step', 'complete_step', 'complete_step', 'complete_step', 'stay', 'need_input'];
  const known =
    fit < 7 && own.length > 0
      ? [...own, ...own, ...own, ...general]
      : [...general, ...ahead, ...own, 'BOGUS'];
  const action = known[pick % known.length] ?? 'stay';
  const outcomes = ['ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'iterate', 'skip', 'fail', 'maybe'];
  const agents = step?.agents ?? [];
  return {
    action,
    ...(action === 'complete_step' && fit > 2 ? { outcome: outcomes[(pick >> 2) % outcomes.length] } : {}),
    ...(fit < 6 ? supply : { data, evidence: data, artifacts: data }),
    ...(fit % 3 === 0 ? { feedback: 'Because.' } : {}),
    ...(fit === 8 ? { step: stepName } : {}),
    ...(fit % 4 === 1 ? { turn } : {}),
    ...(fit === 9 ? { role: [...workflow.audience][pick % workflow.audience.size] ?? 'x' } : {}),
    ...(fit === 4 && agents.length > 0 ? { agent: agents[pick % agents.length] } : {}),
    ...(action === 'need_input'
      ? pick % 2 === 0
        ? { widget_type: 'list_input' }
        : { questions: [{ question: 'Which?', options: ['this', 'that'] }] }
      : {}),
  };
}

/** Frozen all the way down: whoever writes to it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}
