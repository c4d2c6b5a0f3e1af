// Forking: a new instance from any commit of another.
import { describe, expect, it } from 'vitest';
import { fork } from '../../../shared/engine/decide/fork.ts';
import { replay } from '../../../shared/engine/replay.ts';
import type { Actor } from '../../../shared/engine/model/actor.ts';
import type { JsonObject } from '../../../shared/engine/model/json.ts';
import { readSignal } from '../../../shared/engine/model/signal.ts';
import { State } from '../../../shared/engine/model/state.ts';
import type { Workflow } from '../../../shared/engine/model/workflow.ts';
import { generation, steps } from '../../support/definitions.ts';
import { agent, BOSS, OWNER, play, type Play, STRANGER } from '../../support/play.ts';

const LATER = '2026-03-02T08:00:00.000Z';
const line = steps(
  { id: 'a', agents: ['bot'], outputs: ['x'] },
  { id: 'b', agents: ['bot'], outputs: ['y'] },
  { id: 'c', agents: ['bot'] },
);
const done = () =>
  play(line)
    .done({ artifacts: { x: 1 } })
    .done({ artifacts: { y: 2 } })
    .done();

/** The fork of what was played, as of a state of it. */
function forkOf(
  game: Play,
  state: State = game.state,
  by: Actor = OWNER,
  workflow: Workflow = game.workflow,
) {
  const { body } = readSignal('fork', {
    instance_id: 'f-1',
    source: state.instance_id,
    at: state.seq,
    source_hash: 'hash',
    state,
  });
  const decision = fork(workflow, body, by, LATER);
  expect(State.parse(decision.state)).toEqual(decision.state);
  const { state: made, events, verdict } = decision;
  const signal = { type: 'fork', body: body as JsonObject }; // as it was read
  const commit = { seq: 1, at: LATER, actor: by, signal, facts: {}, state: made, events, verdict };
  expect(replay(workflow, [commit])).toEqual({ ok: true });
  return { ...decision, types: events.map(({ type }) => type) };
}
const at = (game: Play, seq: number): State => {
  const found = game.log.find(({ state }) => state.seq === seq);
  if (!found) throw new Error(`there is no commit ${seq}`);
  return found.state;
};

describe('a fork', () => {
  it('goes on where its source stood then, as an instance of its own', () => {
    const game = done();
    const { state, verdict, types } = forkOf(game, at(game, 2));
    expect(state).toMatchObject({
      instance_id: 'f-1',
      owner: 'olga',
      created_by: 'olga',
      seq: 1,
      status: 'in_progress',
      current_step: 'b',
      claim: null,
      keys: [],
      created_at: LATER,
      forked_from: { instance_id: 'i-1', seq: 2 },
    });
    expect(state.steps[0]).toMatchObject({ status: 'completed', artifacts: { x: 1 } });
    expect(state.turn).toBeGreaterThan(at(game, 2).turn);
    expect(verdict).toEqual({ result: 'advanced', previous_step: null });
    expect(types).toEqual(['workflow.started', 'workflow.forked', 'workflow.task.assigned']);
  });

  it('F2: hears anew what was said to its source under a key', () => {
    const game = play(line).signal({ action: 'stay' }, { key: 'k', body: 'b' });
    expect(game.state.keys).toHaveLength(1);
    expect(forkOf(game).state.keys).toEqual([]);
  });

  it('by an admin stays with the owner of its source', () => {
    expect(forkOf(done(), undefined, BOSS).state).toMatchObject({ owner: 'olga', created_by: 'boss' });
  });

  it.each([
    ['a stranger', STRANGER],
    ['an agent of the step', agent('x', 'bot')],
  ])('is not made by %s', (_, by) => {
    expect(() => forkOf(play(line), undefined, by)).toThrow('Only the owner or an admin');
  });

  it('of a completed instance can be resumed from any of its steps', () => {
    const { state, types } = forkOf(done());
    expect(state).toMatchObject({ status: 'cancelled', current_step: 'c' });
    expect(types).toEqual(['workflow.started', 'workflow.forked', 'workflow.cancelled']);
  });

  it('of a failed instance can be resumed where that failed', () => {
    const { state } = forkOf(play(line).done({ outcome: 'fail', feedback: 'Broken.' }));
    expect(state).toMatchObject({ status: 'cancelled', current_step: 'a' });
  });

  it('waits for an approval as its source did, still not for whoever asked', () => {
    const game = play(generation)
      .done({ artifacts: { files: 1 } })
      .done()
      .done({ artifacts: { plan_path: 'p' } });
    const { state, types, verdict } = forkOf(game);
    expect([state.status, verdict.result]).toEqual(['waiting_approval', 'waiting']);
    expect(types).toEqual(['workflow.started', 'workflow.forked', 'workflow.approval.requested']);
    expect(state.steps[2]?.approval).toEqual(game.record('plan').approval);
  });

  it('waits for the same answers', () => {
    const game = play(line).signal({
      action: 'need_input',
      questions: [{ question: 'Which?', options: ['a', 'b'] }],
    });
    const { state, types } = forkOf(game);
    expect(state.status).toBe('waiting_input');
    expect(types.at(-1)).toBe('workflow.input.requested');
  });

  it('opens the attempt anew that its source was at, with the earlier failures at hand', () => {
    const game = play(generation)
      .done({ artifacts: { files: 1 } })
      .done()
      .done({ artifacts: { plan_path: 'p' } })
      .as(BOSS)
      .send('approve', { approved: true })
      .as(OWNER)
      .done()
      .done({ outcome: 'fail', feedback: 'Too long.' });
    expect(game.record('write').attempts).toMatchObject({ current: 2, opened_at: null });
    const { state, types } = forkOf(game);
    expect(state.steps[3]?.attempts).toMatchObject({
      current: 2,
      opened_at: LATER,
      history: [{ attempt: 1, reason: 'Too long.' }],
    });
    expect(types).toContain('workflow.attempt.started');
  });

  it('is of the very state it names', () => {
    const { body } = readSignal('fork', {
      instance_id: 'f-1',
      source: 'i-1',
      at: 7,
      source_hash: 'hash',
      state: play(line).state,
    });
    expect(() => fork(line, body, OWNER, LATER)).toThrow('is not that of "i-1" at 7');
    expect(() => fork(line, { ...body, state: {} }, OWNER, LATER)).toThrow('is not a state');
    expect(() => fork(generation, { ...body, at: 1 }, OWNER, LATER)).toThrow('another definition');
  });
});

describe('the source of a fork', () => {
  it('notes it and changes in nothing else, finished or not', () => {
    for (const game of [play(line), done()]) {
      game.at(LATER).send('forked', { instance_id: 'f-1', at: 1 });
      expect(game.state).toEqual({
        ...game.before,
        seq: game.before.seq + 1,
        forks: [{ instance_id: 'f-1', seq: 1 }],
      });
      expect(game.told('workflow.forked')).toEqual([
        { workflow_id: 'sample', forked_to: 'f-1', at: 1, by: 'olga' },
      ]);
    }
  });

  it('remembers the latest twenty; all of them are in the log', () => {
    const game = play(line);
    for (let i = 1; i <= 25; i++) game.send('forked', { instance_id: `f-${i}`, at: 1 });
    expect(game.state.forks).toHaveLength(20);
    expect(game.state.forks?.at(-1)).toEqual({ instance_id: 'f-25', seq: 1 });
    expect(game.done({ artifacts: { x: 1 } }).state.forks).toHaveLength(20);
  });

  it.each([
    ['an agent of the step', agent('x', 'bot'), 1, 'role_not_allowed'],
    ['anyone, at a commit that is not there', OWNER, 9, 'not_found'],
  ])('is not forked by %s', (_, by, seq, outcome) => {
    expect(play(line).as(by).send('forked', { instance_id: 'f-1', at: seq }).outcome).toBe(outcome);
  });
});
