// Steps of several agents: side by side or one after the other.
import { describe, expect, it } from 'vitest';
import { steps, VALIDATORS } from '../../support/definitions.ts';
import { agent, OWNER, play, unmarked } from '../../support/play.ts';

const bot = (name: string) => agent(`bot-${name}`, name);
const parallel = steps(
  { id: 'validate', agents: VALIDATORS, parallel: true },
  { id: 'publish', agents: ['publisher'] },
);
const sequence = steps({ id: 'plan', agents: ['one', 'two', 'three'], parallel: false }, { id: 'end_of_it' });

describe('side by side', () => {
  it('assigns the step to every agent', () => {
    const assigned = play(parallel).told('workflow.task.assigned');
    expect(assigned.map(({ assigned_to_role }) => assigned_to_role)).toEqual(VALIDATORS);
  });

  it.each([
    ['in order', VALIDATORS],
    ['in any order', VALIDATORS.toReversed()],
    ['however often one reports', ['v1', 'v1', 'v3', 'v2', 'v1', 'v4', 'v5', 'v3', 'v6', 'v7']],
  ])('joins exactly once, %s', (_, order) => {
    const game = play(parallel);
    const outcomes = order.map((name) => game.as(bot(name)).done({ turn: 1 }).outcome);
    expect(outcomes).toEqual([...order.slice(1).map(() => 'stayed'), 'advanced']);
    expect(game.as(bot('v1')).done({ turn: 1 }).outcome).toBe('role_not_allowed');
    const joins = game.log.filter(
      ({ decision }) => decision.kind === 'commit' && decision.verdict.result === 'advanced',
    );
    expect(joins).toHaveLength(2); // the start, and the join
  });

  it('is handed to whoever joins the reports, once, when the last of them is in', () => {
    const joined = steps(
      { id: 'validate', agent: 'joiner', agents: VALIDATORS, parallel: true, outputs: ['report'] },
      { id: 'publish', agents: ['publisher'] },
    );
    const game = play(joined);
    for (const name of VALIDATORS.slice(0, -1)) {
      game.as(bot(name)).done();
      expect(game.told('workflow.task.assigned')).toEqual([]);
    }
    game.as(bot('v7')).done();
    expect(game.outcome).toBe('stayed');
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { assigned_to_role: 'joiner', step: 'validate', turn: 2 },
    ]);
    game.as(bot('v7')).done();
    expect(game.told('workflow.task.assigned')).toEqual([]);
    game.as(bot('joiner')).done({ artifacts: { report: 'r.md' }, turn: 2 });
    expect(game.state.current_step).toBe('publish');
  });

  it('says whom it waits for', () => {
    const game = play(parallel).as(bot('v2')).done();
    expect(game.missing).toMatchObject([
      { type: 'all_agents', waiting_for: VALIDATORS.filter((v) => v !== 'v2') },
    ]);
  });

  it('lets the owner report for an agent, but not for all of them at once', () => {
    const game = play(parallel).as(OWNER).done({ agent: 'v5' });
    expect(game.record().agents_done).toEqual(['v5']);
    expect(game.done().outcome).toBe('blocked');
  });

  it('lets no agent report for another', () => {
    const game = play(parallel).as(bot('v1')).done({ agent: 'v2' });
    expect([game.outcome, game.recorded]).toEqual(['role_not_allowed', true]);
  });

  it('fails the step if one of them fails', () => {
    const game = play(parallel)
      .as(bot('v1'))
      .done()
      .as(bot('v2'))
      .done({ outcome: 'fail', feedback: 'Wrong name.' });
    expect(game.state).toMatchObject({ status: 'failed', current_step: 'validate' });
    expect(game.state.last_error).toContain('Wrong name.');
    expect(game.as(bot('v3')).done().outcome).toBe('workflow_finished');
  });
});

describe('one after the other', () => {
  it('assigns the first, then hands on, each on a turn of its own', () => {
    const game = play(sequence);
    expect(game.told('workflow.task.assigned')).toMatchObject([{ assigned_to_role: 'one', turn: 1 }]);
    game.as(bot('one')).done();
    expect(game.outcome).toBe('stayed');
    expect(game.told('workflow.task.assigned')).toMatchObject([{ assigned_to_role: 'two', turn: 2 }]);
    game.as(bot('two')).done();
    expect(game.as(bot('three')).done().outcome).toBe('advanced');
  });

  it('blocks whoever is out of turn', () => {
    const game = play(sequence)
      .as(bot('two'))
      .done({ data: { early: true } });
    expect(game.missing).toMatchObject([{ type: 'all_agents', waiting_for: ['one'] }]);
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });

  it('does not let the same agent finish it alone', () => {
    const game = play(sequence).as(bot('one')).done().done().done();
    expect([game.outcome, game.state.current_step]).toEqual(['blocked', 'plan']);
  });
});
