// Moving an instance to another version of its definition.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { begin } from '../../../shared/engine/decide/start.ts';
import { misfits } from '../../../shared/engine/migration.ts';
import { type Actor, isAdmin } from '../../../shared/engine/model/actor.ts';
import { readSignal, type Signal } from '../../../shared/engine/model/signal.ts';
import { State } from '../../../shared/engine/model/state.ts';
import type { Workflow } from '../../../shared/engine/model/workflow.ts';
import { generation, steps } from '../../support/definitions.ts';
import { agent, BOSS, NOON, OWNER, play, type Play, STRANGER } from '../../support/play.ts';

const a = { id: 'a', agents: ['bot'], outputs: ['x'] };
const b = { id: 'b', agents: ['bot'] };
const c = { id: 'c', agents: ['bot'] };
const line = steps(a, b, c);
const atB = () => play(line).done({ artifacts: { x: 1 } });

function migrate(game: Play, to: Workflow, by: Actor = OWNER, current = to.version) {
  const signal = readSignal('migrate', { to: to.version });
  return decide(game.workflow, game.state, signal, by, { current_version: current }, NOON, to);
}
const codeOf = (decision: ReturnType<typeof migrate>): string =>
  decision.kind === 'commit' ? 'moved' : decision.kind === 'refuse' ? decision.refusal.code : decision.kind;
function moved(game: Play, to: Workflow) {
  const decision = migrate(game, to);
  if (decision.kind !== 'commit') throw new Error(JSON.stringify(decision));
  expect(State.parse(decision.state)).toEqual(decision.state);
  return { ...decision, types: decision.events.map(({ type }) => type) };
}
const problems = (game: Play, to: Workflow): (string | null)[] =>
  misfits(game.workflow, to, game.state).map(({ step }) => step);

describe('an instance moves to another version', () => {
  it('keeping its work, in the order of the new steps, and is assigned anew', () => {
    const flipped = load({
      id: 'sample',
      version: 'two',
      entry: 'a',
      roles: ['dev', 'qa', 'lead'],
      steps: [
        { id: 'b', agents: ['other'], next: 'c' },
        { ...a, next: 'b' },
        { id: 'c', agents: ['bot'], next: 'end' },
      ],
    });
    const game = atB();
    const { state, events, types, verdict } = moved(game, flipped);
    expect(state.definition).toBe(flipped.version);
    expect(state.steps.map((record) => [record?.id, record?.status])).toEqual([
      ['b', 'in_progress'],
      ['a', 'completed'],
    ]);
    expect(state.steps[1]?.artifacts).toEqual({ x: 1 });
    expect(types).toEqual(['workflow.migrated', 'workflow.task.assigned']);
    expect(events[0]?.data).toMatchObject({
      from_version: line.version,
      to_version: flipped.version,
      from_label: null,
      to_label: 'two',
      by: 'olga',
    });
    expect(events[1]?.data).toMatchObject({ assigned_to_role: 'other', turn: game.state.turn + 1 });
    expect(verdict.result).toBe('stayed');
  });

  it('when it has failed, so that a mended definition can be resumed', () => {
    const game = atB().done({ outcome: 'fail' });
    const { state, verdict } = moved(game, steps(a, { ...b, agents: ['other'] }, c));
    expect([state.status, verdict.result]).toEqual(['failed', 'stayed']);
  });

  it('and goes through a step that has become automatic', () => {
    const { state } = moved(atB(), steps(a, { id: 'b', handler: { decide: '"ok"' } }, c));
    expect(state.current_step).toBe('c');
  });

  it('with the attempts that the new version allows', () => {
    const game = play(steps({ ...a, attempts: 3 }));
    expect(moved(game, steps({ ...a, attempts: 5 })).state.steps[0]?.attempts).toMatchObject({
      current: 1,
      max: 5,
    });
    expect(moved(game, steps(a)).state.steps[0]?.attempts).toBeNull();
    expect(moved(play(steps(a)), steps({ ...a, attempts: 2 })).state.steps[0]?.attempts).toMatchObject({
      current: 1,
      max: 2,
    });
  });

  it('with the defaults of new parameters, without those that are gone', () => {
    const from = load({
      id: 'sample',
      params: { old: { default: 'x' }, kept: { default: 1 } },
      steps: [a, b],
    });
    const to = load({
      id: 'sample',
      params: { kept: { type: 'integer', default: 2 }, fresh: { default: 'y' } },
      steps: [a, b],
    });
    expect(moved(play(from), to).state.params).toEqual({ kept: 1, fresh: 'y' });
  });
});

describe('an instance does not fit', () => {
  const waiting = () =>
    play(generation)
      .done({ artifacts: { files: 1 } })
      .done()
      .done({ artifacts: { plan_path: 'p' } });
  const params = (max: number) =>
    load({ id: 'sample', params: { n: { type: 'integer', max, default: 1 } }, steps: [a, b] });

  it.each<[string, Play, Workflow, (string | null)[]]>([
    ['when a completed step is gone', atB(), steps(b, c), ['a']],
    ['when the current step is gone', atB(), steps(a, c), ['b']],
    ['when a step has become an end', atB(), steps(a, { id: 'b', final: true }), ['b']],
    ['when a new required step would be skipped', atB(), steps(a, { id: 'new' }, b, c), ['new']],
    [
      'when a required step was skipped',
      play(steps({ ...a, required: false }, b)).done({ outcome: 'skip' }),
      steps(a, b),
      ['a'],
    ],
    ['when its parameters are not allowed', play(params(9), { params: { n: 7 } }), params(5), [null]],
    [
      'when only one may be active',
      play(line),
      load({ id: 'sample', single_active: true, steps: [a, b, c] }),
      [null],
    ],
    ['when the approval it waits for is gone', waiting(), withoutApproval(), ['plan']],
  ])('%s', (_, game, to, expected) => {
    expect(problems(game, to)).toEqual(expected);
    const decision = migrate(game, to, BOSS);
    expect(codeOf(decision)).toBe('step_mismatch');
    expect(decision).toMatchObject({
      refusal: { details: { problems: misfits(game.workflow, to, game.state) } },
    });
    expect(decision).not.toHaveProperty('record');
    // What runs cannot be resumed: the advice can be taken as it stands.
    const fixes = misfits(game.workflow, to, game.state).map(({ fix }) => fix);
    expect(fixes.filter((fix) => /resume/i.test(fix) && !/cancel/i.test(fix))).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['an approval', { approval: true }, 'an approval'],
    ['an output', { outputs: ['x', 'must'] }, 'the output "must"'],
    ['evidence', { evidence: { n: { type: 'integer' } } }, 'the evidence "n"'],
  ])('where a completed step would lack %s that is asked for there', (_, more, lacking) => {
    const stricter = steps({ ...a, ...more }, b, c);
    expect(misfits(line, stricter, atB().state)).toMatchObject([
      { step: 'a', reason: expect.stringContaining(`without ${lacking}`) },
    ]);
    expect(codeOf(migrate(atB(), stricter))).toBe('step_mismatch');
  });

  it('but what a completed step has delivered, or an admin has overruled, is enough', () => {
    const outputs = steps(a, { ...b, outputs: ['y'] }, c);
    expect(misfits(line, outputs, atB().done({ artifacts: { y: 1 } }).state)).toEqual([]);
    const overruled = play(line).as(BOSS).send('override', { reason: 'known to be right' });
    expect(misfits(line, steps({ ...a, approval: true }, b, c), overruled.state)).toEqual([]);
  });

  it('but a new optional step before the current one may be left out', () => {
    expect(problems(atB(), steps(a, { id: 'new', required: false }, b, c))).toEqual([]);
  });

  it('while it is on an attempt that the new version does not know', () => {
    const tried = play(steps({ ...a, attempts: 3 }, b))
      .done({ outcome: 'fail' })
      .done({ outcome: 'fail' });
    expect(problems(tried, steps({ ...a, attempts: 2 }, b))).toEqual(['a']);
  });
});

function withoutApproval(): Workflow {
  const source = structuredClone(generation.source) as { steps: { id: string; approval?: unknown }[] }; // as loaded
  for (const step of source.steps) delete step.approval;
  return load(source);
}

describe('moving an instance', () => {
  const to = steps(a, { ...b, title: 'Better' }, c);
  it.each<[string, Actor, string]>([
    ['its owner', OWNER, 'moved'],
    ['an admin', BOSS, 'moved'],
    ['an agent of the step', agent('x', 'bot'), 'role_not_allowed'],
    ['a stranger', STRANGER, 'not_found'],
  ])('to the current version by %s: %s', (_, by, outcome) => {
    expect(codeOf(migrate(atB(), to, by))).toBe(outcome);
  });

  it.each([OWNER, BOSS])('to an older version is for admins: by $sub', (by) => {
    const decision = migrate(atB(), to, by, 'something newer');
    expect(codeOf(decision)).toBe(isAdmin(by) ? 'moved' : 'role_not_allowed');
    expect('record' in decision).toBe(!isAdmin(by));
  });

  it.each<[string, Play, Workflow, string]>([
    ['to the version it is on', atB(), line, 'invalid_request'],
    ['that is completed', atB().done().done(), to, 'workflow_finished'],
    ['to another workflow', atB(), generation, 'not_found'],
  ])('%s is refused', (_, game, target, code) => {
    expect(codeOf(migrate(game, target))).toBe(code);
  });

  it('to a version nobody knows is refused', () => {
    const game = atB().send('migrate', { to: 'nowhere' });
    expect(game.outcome).toBe('not_found');
  });
});

describe('MG2: however a version orders its steps, moving to it skips none of them', () => {
  const NAMES = ['a', 'b', 'c', 'd'];
  const order = fc.shuffledSubarray(NAMES, { minLength: 2 });
  const lineOf = (ids: readonly string[], label: string): Workflow =>
    load({ id: 'sample', version: label, steps: ids.map((id) => ({ id, agents: ['bot'] })) });

  it('not even when it is resumed from an earlier step afterwards', () => {
    let fitted = 0;
    fc.assert(
      fc.property(
        order,
        order,
        fc.nat(3),
        fc.option(fc.constantFrom(...NAMES)),
        (old, fresh, done, resume) => {
          const [from, to] = [lineOf(old, 'old'), lineOf(fresh, 'new')];
          let workflow = from;
          let { state } = begin(from, { instance_id: 'i', workflow_id: 'sample' }, OWNER, NOON);
          const say = (signal: Signal): boolean => {
            const facts = { current_version: to.version };
            const decision = decide(workflow, state, signal, OWNER, facts, NOON, to);
            if (decision.kind === 'commit') state = decision.state;
            return decision.kind === 'commit';
          };
          const step = () => say(readSignal('signal', { action: 'complete_step' }));
          for (let i = 0; i < Math.min(done, old.length - 1); i++) step();
          if (!say(readSignal('migrate', { to: to.version }))) return true;
          fitted++;
          workflow = to;
          if (
            resume !== null &&
            say(readSignal('cancel', {})) &&
            !say(readSignal('resume', { from_step: resume }))
          )
            say(readSignal('resume', {}));
          while (state.status === 'in_progress') step();
          return (
            state.status === 'completed' &&
            to.steps.every(({ index }) => state.steps[index]?.status === 'completed')
          );
        },
      ),
      { numRuns: 300 },
    );
    expect(fitted).toBeGreaterThan(20);
  });
});
