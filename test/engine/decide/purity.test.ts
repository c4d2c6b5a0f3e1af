// decide is a function: it touches nothing it is given, and gives the same answer for ever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { type Actor, SYSTEM } from '../../../shared/engine/model/actor.ts';
import { bodies, readSignal, type Signal, type SignalType } from '../../../shared/engine/model/signal.ts';
import { State } from '../../../shared/engine/model/state.ts';
import type { Workflow } from '../../../shared/engine/model/workflow.ts';
import { delivery, generation, onboarding, VALIDATORS } from '../../support/definitions.ts';
import { agent, BOSS, freeze, human, NOON, OWNER, play, STRANGER } from '../../support/play.ts';

const SAMPLES: Readonly<Record<Exclude<SignalType, 'start'>, readonly object[]>> = {
  signal: [
    {},
    { action: 'complete_step' },
    { action: 'complete_step', outcome: 'fail', feedback: 'No.' },
    { action: 'complete_step', artifacts: { files: [1], plan_path: 'p', commit_sha: 'c' } },
    { action: 'need_input', questions: [{ question: 'Which?', options: ['a', 'b'] }] },
    { action: 'need_input', widget_type: 'list_input' },
    { action: 'COMMIT_CODE', artifacts: { commit_sha: 'c' } },
    { action: 'CLAIM_TASK' },
    { action: 'APPROVE_DESIGN' },
    { action: 'REJECT_DESIGN', feedback: 'No.' },
    { step: 3 },
  ],
  answer: [{ answers: ['a'] }],
  widget: [{ widget_type: 'list_input', items: [1, 2] }],
  approve: [
    { approved: true },
    { approved: false },
    { approved: true, modifications: { plan_path: 'q', x: 1 } },
  ],
  claim: [{}],
  release: [{}],
  heartbeat: [{}],
  override: [{ reason: 'It is wrong.' }, { reason: 'It is wrong.', outcome: 'fail' }],
  cancel: [{}],
  resume: [{}, { from_step: 1 }],
  retry: [{ error: 'Broken.' }],
  message: [{ text: 'Hello' }, { text: 'Buy milk', step: 3 }, { text: 'Done', from: 'agent' }],
  defer: [{ text: 'Buy milk', step: 3 }],
  attempt: [1, 2, 3, 4, 5, 6].flatMap((turn) => [
    { event: 'opened', turn },
    { event: 'timed_out', turn },
  ]),
  deadline: [4, 5, 6].map((turn) => ({ event: 'expired', turn })),
  fork: [{ instance_id: 'i-2', source: 'i-1', at: 1, source_hash: 'h', state: {} }],
  forked: [{ instance_id: 'i-2', at: 1 }],
  migrate: [{ to: 'nowhere' }, { to: delivery.version }],
  violation: [{ code: 'phase_sequence_violation', message: 'Locked.' }],
};

const SIGNALS = (Object.keys(bodies) as SignalType[]).flatMap((type) =>
  type === 'start' ? [] : SAMPLES[type].map((body) => readSignal(type, body) as Signal),
);
/** What leads on, so that the walks get far. */
const FORWARD: readonly Signal[] = [
  ...VALIDATORS.map((name) => readSignal('signal', { action: 'complete_step', agent: name })),
  readSignal('signal', SAMPLES.signal[3]),
  readSignal('signal', SAMPLES.signal[3]),
  readSignal('signal', SAMPLES.signal[3]),
  readSignal('signal', SAMPLES.signal[6]),
  readSignal('approve', SAMPLES.approve[0]),
  readSignal('widget', SAMPLES.widget[0]),
];
const ACTORS: readonly Actor[] = [
  OWNER,
  BOSS,
  STRANGER,
  SYSTEM,
  human('lea', 'architect'),
  agent(
    'bot',
    'greeter',
    'interviewer',
    'collector',
    'developer',
    'architect',
    'checker',
    'planner',
    'writer',
    'judge',
  ),
  ...VALIDATORS.map((name) => agent(name, name)),
];

const moves = fc.array(
  fc.record({
    signal: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(...SIGNALS) },
      { weight: 3, arbitrary: fc.constantFrom(...FORWARD) },
    ),
    actor: fc.constantFrom(OWNER, ACTORS[5] ?? OWNER, ...ACTORS),
    facts: fc.constantFrom({}, { memory: { user_profile: 3 } }),
    minutes: fc.integer({ min: 0, max: 5 }),
  }),
  { maxLength: 60, size: 'max' },
);

/** Of a completed instance, the steps every way to completion passes that were not done: there must be none. */
const undone = (workflow: Workflow, { status, steps }: State): readonly number[] =>
  workflow.milestones.filter(
    (index) => status === 'completed' && !['completed', 'skipped'].includes(steps[index]?.status ?? 'never'),
  );

describe('whatever is sent, by whomever', () => {
  it.each<[string, Workflow]>([
    ['onboarding', onboarding],
    ['delivery', delivery],
    ['generation', generation],
  ])(
    '%s: the state stays valid, nothing given is touched, and the same again gives the same',
    (_, workflow) => {
      fc.assert(
        fc.property(moves, (list) => {
          let state = freeze(play(workflow).state);
          let at = Date.parse(NOON);
          for (const move of list) {
            at += move.minutes * 60_000;
            const { signal, actor, facts } = freeze(move);
            const now = new Date(at).toISOString();
            const decision = decide(workflow, state, signal, actor, facts, now);
            expect(decide(workflow, state, signal, actor, facts, now)).toEqual(decision);
            if (decision.kind === 'repeat') continue;
            const after = decision.kind === 'commit' ? decision : decision.record;
            if (!after) continue;
            expect(State.parse(after.state)).toEqual(after.state);
            expect(after.state.seq).toBe(state.seq + 1);
            expect(after.state.turn).toBeGreaterThanOrEqual(state.turn);
            const allowed = decision.kind === 'refuse' ? { ...state, seq: state.seq + 1 } : after.state;
            expect(after.state).toEqual(allowed);
            state = freeze(after.state);
            expect(undone(workflow, state)).toEqual([]);
          }
        }),
        { numRuns: 200 },
      );
    },
  );
});
