// Approvals and overrides: what only a person may do.
import { describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/engine/digest.ts';
import type { BodyOf } from '../../../shared/engine/model/signal.ts';
import { steps } from '../../support/definitions.ts';
import { agent, BOSS, human, OWNER, type Play, play, unmarked } from '../../support/play.ts';

const bot = agent('bot', 'planner');
const plan = { id: 'plan', agents: ['planner'], outputs: ['path'], approval: { roles: ['lead'] } };
const gated = steps(plan, { id: 'write', agents: ['planner'] });
const waiting = (workflow = gated): Play =>
  play(workflow)
    .as(bot)
    .done({ artifacts: { path: 'p.md' } });
const approve = (body: Partial<BodyOf<'approve'>> = {}): BodyOf<'approve'> => ({ approved: true, ...body });

describe('asking for an approval', () => {
  it('comes only once all else is there', () => {
    expect(play(gated).as(bot).done().missing).toMatchObject([
      { type: 'outputs' },
      { type: 'human_approval' },
    ]);
    const game = waiting();
    expect([game.outcome, game.state.status]).toEqual(['waiting', 'waiting_approval']);
    expect(game.told('workflow.approval.requested')).toMatchObject([
      { step: 'plan', requested_by: 'bot', digest: digestOf(game.record()), artifacts: { path: 'p.md' } },
    ]);
  });

  it('remembers who asked: asking again for the same work, by another, changes nothing', () => {
    const game = play(gated)
      .done({ artifacts: { path: 'p.md' } })
      .as(bot)
      .done();
    expect([game.state.status, game.record().approval?.requested_by]).toEqual(['waiting_approval', 'olga']);
    expect(game.as(OWNER).send('approve', approve()).outcome).toBe('self_approval');
  });

  it('is asked anew, by whoever changed it, when the work changes meanwhile', () => {
    const game = waiting()
      .as(OWNER)
      .signal({ artifacts: { path: 'mine.md' } });
    expect(game.record().approval).toMatchObject({ requested_by: 'olga', digest: digestOf(game.record()) });
    expect(game.send('approve', approve()).outcome).toBe('self_approval');
  });
});

describe('who may approve', () => {
  it.each([
    ['an agent may not', agent('other', 'lead'), 'human_required'],
    ['the agent that asked may not', bot, 'human_required'],
    ['a person of another role may not', human('pat', 'planner'), 'role_not_allowed'],
    ['a person who may not see it learns nothing', human('pat', 'dev'), 'not_found'],
    ["a person of the approval's role may", human('lea', 'lead'), 'advanced'],
    ['the owner may', OWNER, 'advanced'],
    ['an admin may', BOSS, 'advanced'],
  ])('%s', (_, actor, outcome) => {
    const game = waiting().as(actor).send('approve', approve());
    expect(game.outcome).toBe(outcome);
    expect(game.recorded).toBe(outcome === 'human_required' || outcome === 'role_not_allowed');
  });

  it('nobody approves what they asked for themselves', () => {
    const game = play(gated)
      .done({ artifacts: { path: 'p.md' } })
      .send('approve', approve());
    expect([game.outcome, game.recorded]).toEqual(['self_approval', true]);
  });

  it('unless the definition says so', () => {
    const workflow = steps({ ...plan, approval: { allow_self: true } });
    const game = play(workflow)
      .done({ artifacts: { path: 'p.md' } })
      .send('approve', approve());
    expect(game.outcome).toBe('completed');
  });
});

describe('what is approved', () => {
  it('is bound to a digest taken after modifications', () => {
    const game = waiting()
      .as(OWNER)
      .send('approve', approve({ modifications: { path: 'q.md', note: 'shorter' } }));
    const record = game.record('plan');
    expect(record).toMatchObject({ artifacts: { path: 'q.md' }, data: { note: 'shorter' } });
    expect(record.approval).toMatchObject({
      approved: true,
      resolved_by: 'olga',
      digest: digestOf({ artifacts: { path: 'q.md' }, evidence: {} }),
    });
    expect(game.told('workflow.approval.resolved')).toMatchObject([{ approved: true, by: 'olga' }]);
  });

  it('is refused if it is not what the person looked at', () => {
    const seen = waiting().record().approval?.digest ?? '';
    const game = waiting().signal({ artifacts: { path: 'other.md' } });
    expect(game.as(OWNER).send('approve', approve({ digest: seen })).outcome).toBe('version_conflict');
    expect(
      waiting()
        .as(OWNER)
        .send('approve', approve({ digest: seen })).outcome,
    ).toBe('advanced');
  });

  it('no longer counts once it has changed', () => {
    const workflow = steps({
      ...plan,
      transitions: [{ on: 'ok', to: null, guard: 'shared.open == true' }],
    });
    const game = waiting(workflow).as(OWNER).send('approve', approve());
    expect([game.outcome, game.state.status]).toEqual(['stayed', 'in_progress']);
    const open = { data: { shared: { open: true } } };
    const kept = game.as(bot).signal(open);
    expect(kept.record().approval?.approved).toBe(true);
    game.done({ artifacts: { path: 'other.md' } });
    expect([game.outcome, game.state.status]).toEqual(['waiting', 'waiting_approval']);
    const unchanged = waiting(workflow).as(OWNER).send('approve', approve()).as(bot).done(open);
    expect(unchanged.outcome).toBe('completed');
  });

  it.each<[string, Partial<BodyOf<'approve'>>, string]>([
    ['no variant', {}, 'invalid_request'],
    ['a variant there is not', { selected_variant: 'C' }, 'invalid_request'],
    ['one of the variants', { selected_variant: 'B' }, 'completed'],
  ])('select_variant with %s', (_, body, outcome) => {
    const workflow = steps({ ...plan, approval: { type: 'select_variant', variants: ['A', 'B'] } });
    expect(waiting(workflow).as(OWNER).send('approve', approve(body)).outcome).toBe(outcome);
  });

  it.each<[string, Partial<BodyOf<'approve'>>, string]>([
    ['another step', { step: 'write' }, 'step_mismatch'],
    ['an earlier turn', { turn: 0 }, 'stale_turn'],
    ['this step by its number', { step: 1 }, 'advanced'],
  ])('an approval for %s', (_, body, outcome) => {
    expect(waiting().as(OWNER).send('approve', approve(body)).outcome).toBe(outcome);
  });

  it('cannot be given before it is asked for', () => {
    expect(play(gated).send('approve', approve()).outcome).toBe('invalid_transition');
  });
});

describe('a rejection', () => {
  it('stays on the step with feedback, a new turn and a new assignment', () => {
    const game = waiting().as(OWNER).send('approve', { approved: false, feedback: 'Too long.' });
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'plan', feedback: 'Too long.' });
    expect(game.record()).toMatchObject({ turn: 2, approval: { approved: false, feedback: 'Too long.' } });
    expect(game.types).toEqual(['workflow.approval.resolved', 'workflow.task.assigned']);
    expect(game.told('workflow.task.assigned')).toMatchObject([{ feedback: 'Too long.', turn: 2 }]);
    expect(game.as(bot).done().outcome).toBe('waiting');
  });
});

describe('an override', () => {
  it.each([
    ['the owner', OWNER, 'role_not_allowed'],
    ['an agent that is admin', agent('root', 'admin'), 'human_required'],
    ['an admin', BOSS, 'advanced'],
  ])('by %s: %s', (_, actor, outcome) => {
    const game = play(gated).as(actor).send('override', { reason: 'The check is broken.' });
    expect(game.outcome).toBe(outcome);
    expect(game.recorded).toBe(outcome !== 'advanced');
  });

  it('is in the record and in the trail', () => {
    const game = play(gated).as(BOSS).send('override', { reason: 'The check is broken.' });
    expect(game.record('plan').overridden).toMatchObject({ by: 'boss', reason: 'The check is broken.' });
    expect(game.hops).toEqual(['plan → write by OVERRIDE as admin']);
    expect(game.told('workflow.overridden')).toMatchObject([{ step: 'plan', by: 'boss', on: 'ok' }]);
  });

  it('cannot go where there is no way', () => {
    const game = play(gated).as(BOSS).send('override', { reason: 'x', action: 'FLY' });
    expect(game.outcome).toBe('invalid_transition');
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });
});
