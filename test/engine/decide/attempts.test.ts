// Attempts: rising emphasis, the earlier failures at hand, back-off, and what the last failure says.
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { decide } from '../../../shared/engine/decide/decide.ts';
import { begin } from '../../../shared/engine/decide/start.ts';
import { readSignal } from '../../../shared/engine/model/signal.ts';
import { SYSTEM } from '../../../shared/engine/model/actor.ts';
import { generation, steps } from '../../support/definitions.ts';
import { agent, NOON, OWNER, type Play, play } from '../../support/play.ts';

const writer = agent('writer-1', 'writer');
const judge = agent('judge-1', 'judge');

/** At step 4, its first attempt open on turn 4. */
const writing = (): Play =>
  play(generation)
    .as(agent('c', 'checker'))
    .done({ artifacts: { files: ['a'], working_dir: '/w' } })
    .done()
    .as(agent('p', 'planner'))
    .done({ artifacts: { plan_path: 'p.md' } })
    .as(OWNER)
    .send('approve', { approved: true })
    .as(writer);

const failOnce = (game: Play, at: string, feedback: string): Play =>
  game.at(at).as(writer).done().as(judge).done({ outcome: 'fail', feedback });

describe('an attempt', () => {
  it('opens with the first emphasis', () => {
    const game = writing();
    expect(game.told('workflow.attempt.started')).toEqual([
      { workflow_id: 'generation', step: 'write', attempt: 1, max: 3, emphasis: 'standard', failures: [] },
    ]);
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { assigned_to_role: 'writer', attempt: 1, emphasis: 'standard', failures: [], turn: 4 },
    ]);
  });

  it('is failed by the step that judges it, and the next one waits for its time', () => {
    const game = failOnce(writing(), '2026-03-01T12:00:00.000Z', 'Too short.');
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'write' });
    expect(game.told('workflow.attempt.failed')).toEqual([
      {
        workflow_id: 'generation',
        step: 'write',
        attempt: 1,
        max: 3,
        result: 'failed',
        reason: 'Too short.',
        last: false,
      },
    ]);
    expect(game.record().attempts).toMatchObject({
      current: 2,
      opened_at: null,
      opens_at: '2026-03-01T12:01:00.000Z',
    });
    expect(game.told('workflow.task.assigned')).toMatchObject([
      {
        attempt: 2,
        emphasis: 'strict',
        failures: [{ attempt: 1, result: 'failed', reason: 'Too short.' }],
        not_before: '2026-03-01T12:01:00.000Z',
      },
    ]);
  });

  it.each([
    ['a moment before', '2026-03-01T12:00:59.999Z', 'blocked'],
    ['at the time', '2026-03-01T12:01:00.000Z', 'advanced'],
  ])('%s, it is %s', (_, at, outcome) => {
    const game = failOnce(writing(), '2026-03-01T12:00:00.000Z', 'Too short.').as(writer).at(at).done();
    expect(game.outcome).toBe(outcome);
  });

  it('is opened by the clock, on a turn of its own', () => {
    const game = failOnce(writing(), '2026-03-01T12:00:00.000Z', 'Too short.');
    const { turn } = game.record();
    game.as(SYSTEM).at('2026-03-01T12:01:00.000Z').send('attempt', { event: 'opened', turn });
    expect(game.types).toEqual(['workflow.attempt.started', 'workflow.task.assigned']);
    expect(game.record()).toMatchObject({
      turn: turn + 1,
      attempts: { opened_at: '2026-03-01T12:01:00.000Z' },
    });
  });

  it('is passed by the step that judges it', () => {
    const game = writing().done().as(judge).done();
    expect(game.state.current_step).toBe('validate');
    expect(game.record('write').attempts?.history).toMatchObject([{ attempt: 1, result: 'passed' }]);
  });

  it.each([
    ['timed_out', 'It ran out of time.'],
    ['heartbeat_lost', 'Its agent went silent.'],
  ] as const)('may be ended by the clock: %s', (event, reason) => {
    const game = writing().as(SYSTEM).send('attempt', { event, turn: 4 });
    expect(game.told('workflow.attempt.failed')).toMatchObject([{ result: 'timed_out', reason }]);
  });

  it('is not ended by silence once its work is handed in, or while a person is asked', () => {
    const lost = { event: 'heartbeat_lost', turn: 4 } as const;
    expect(writing().done().as(SYSTEM).send('attempt', lost).outcome).toBe('stale_turn');
    const questions = [{ question: 'Which?', options: ['this', 'that'] }];
    const asking = writing().signal({ action: 'need_input', questions });
    expect(asking.as(SYSTEM).send('attempt', lost).outcome).toBe('stale_turn');
  });

  it('does not count the time in which a person is asked', () => {
    const questions = [{ question: 'Which?', options: ['this', 'that'] }];
    const game = writing().at('2026-03-01T12:00:10.000Z').signal({ action: 'need_input', questions });
    game
      .as(OWNER)
      .at('2026-03-01T13:00:10.000Z')
      .send('answer', { answers: ['this'] });
    expect(game.record().attempts).toMatchObject({ waited_ms: 3_600_000, opened_at: NOON });
    failOnce(game, '2026-03-01T13:00:20.000Z', 'Too short.');
    expect(game.record().attempts).toMatchObject({ current: 2, waited_ms: 0 });
  });

  it('may run out of time between its step and the one that judges it', () => {
    const workflow = steps(
      { id: 'write', attempts: { max: 2 } },
      { id: 'print' },
      { id: 'judge', triggers_retry: true },
    );
    const game = play(workflow).done();
    expect(game.state.current_step).toBe('print');
    game.as(SYSTEM).send('attempt', { event: 'timed_out', turn: 1 });
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'write' });
    expect(game.record().attempts).toMatchObject({ current: 2 });
    expect(game.hops).toEqual(['print → write by ATTEMPT_FAILED as system']);
  });

  it('is over on a way from which the step that judges it cannot be reached', () => {
    const workflow = steps(
      {
        id: 'write',
        attempts: { max: 2 },
        transitions: [
          { on: 'ok', to: 'judge' },
          { on: 'AS_IS', to: 'print' },
        ],
      },
      { id: 'judge', required: false, triggers_retry: true, next: 'print' },
      { id: 'print' },
    );
    const game = play(workflow).signal({ action: 'AS_IS' });
    expect(game.state.current_step).toBe('print');
    expect(game.as(SYSTEM).send('attempt', { event: 'timed_out', turn: 1 }).outcome).toBe('stale_turn');
  });

  it('shares the turn in which the first opened with those that follow it', () => {
    const game = failOnce(writing(), NOON, 'Too short.');
    expect(game.record()).toMatchObject({ turn: 6, attempts: { began: 4, current: 2 } });
  });

  it('is not ended by anyone else, nor by a clock that is late', () => {
    expect(writing().as(OWNER).send('attempt', { event: 'failed', turn: 4 }).outcome).toBe(
      'role_not_allowed',
    );
    expect(writing().as(SYSTEM).send('attempt', { event: 'failed', turn: 3 }).outcome).toBe('stale_turn');
  });

  it('that is reported late does no harm', () => {
    const game = failOnce(writing(), '2026-03-01T12:00:00.000Z', 'Too short.').as(writer);
    game.at('2026-03-01T12:02:00.000Z').done({ turn: 4 });
    expect([game.outcome, game.state.current_step]).toEqual(['stale_turn', 'write']);
  });

  it("that outlasts the judging step's deadline has timed out", () => {
    const game = writing().done();
    const { turn } = game.record();
    game.as(SYSTEM).at('2026-03-01T12:00:30.000Z').send('deadline', { event: 'expired', turn });
    expect(game.state.current_step).toBe('write');
    expect(game.told('workflow.attempt.failed')).toMatchObject([
      { result: 'timed_out', reason: 'The deadline of 30 s for "quick_check" has passed.' },
    ]);
  });
});

describe('a back-off', () => {
  const waits = (instance_id: string, backoff_jitter?: number) => {
    const attempts = { max: 4, backoff_seconds: 100, backoff_rate: 2, max_backoff_seconds: 300 };
    const jitter = backoff_jitter === undefined ? {} : { backoff_jitter };
    const workflow = steps({ id: 'a', attempts: { ...attempts, ...jitter } });
    const { body } = readSignal('start', { instance_id, workflow_id: 'sample' });
    let { state } = begin(workflow, body, OWNER, NOON);
    return [1, 2, 3].map(() => {
      const now = state.steps[0]?.attempts?.opens_at ?? NOON;
      const failed = readSignal('signal', { action: 'complete_step', outcome: 'fail' });
      const decision = decide(workflow, state, failed, OWNER, {}, now);
      if (decision.kind !== 'commit') throw new Error('it was refused');
      state = decision.state;
      return (Date.parse(state.steps[0]?.attempts?.opens_at ?? '') - Date.parse(now)) / 1000;
    });
  };

  it('grows at its rate up to its cap', () => {
    expect(waits('i-1', 0)).toEqual([100, 200, 300]);
  });

  it('is shortened by chance, a fifth at most, each instance and attempt in its own way', () => {
    const [first = 0, second = 0, third = 0] = waits('i-1');
    expect([first > 80, first < 100, second > 160, second < 200, third > 240, third < 300]).toEqual(
      Array.from({ length: 6 }, () => true),
    );
    expect(first / 100).not.toBe(second / 200);
    expect(waits('i-2')).not.toEqual([first, second, third]);
  });

  it('is the same whenever it is computed', () => {
    expect(waits('i-1')).toEqual(waits('i-1'));
  });
});

describe('after the last attempt', () => {
  const exhausted = () => {
    const game = failOnce(writing(), '2026-03-01T12:00:00.000Z', 'Too short.');
    failOnce(game, '2026-03-01T12:01:00.000Z', 'Still too short.');
    expect(game.record().attempts).toMatchObject({ current: 3, opens_at: '2026-03-01T12:03:00.000Z' });
    return failOnce(game, '2026-03-01T12:03:00.000Z', 'No end.');
  };

  it('the step has failed, and says on which attempt, why, and what to do', () => {
    const game = exhausted();
    expect(game.state).toMatchObject({
      status: 'failed',
      current_step: 'write',
      failed_at: '2026-03-01T12:03:00.000Z',
      last_error: 'Step "write" failed on attempt 3 of 3: No end. Mend the cause, then resume from "write".',
    });
    expect(game.record('write').attempts?.history.map(({ emphasis, reason }) => [emphasis, reason])).toEqual([
      ['standard', 'Too short.'],
      ['strict', 'Still too short.'],
      ['critical', 'No end.'],
    ]);
    expect(game.told('workflow.attempt.failed')).toMatchObject([{ attempt: 3, last: true }]);
  });

  it('what was given as the reason ends as a sentence', () => {
    const game = play(steps({ id: 'a', attempts: 1 })).done({ outcome: 'fail', feedback: 'no paper' });
    expect(game.state.last_error).toBe(
      'Step "a" failed on attempt 1 of 1: no paper. Mend the cause, then resume from "a".',
    );
  });

  it('what starts over says on which attempt, too', () => {
    const workflow = load({ id: 'w', recovery: 'restart', steps: [{ id: 'a' }, { id: 'b', attempts: 1 }] });
    const game = play(workflow).done().done({ outcome: 'fail', feedback: 'No paper.' });
    const last_error = 'Step "b" failed on attempt 1 of 1: No paper.';
    expect(game.state).toMatchObject({ current_step: 'a', retry_count: 1, last_error });
  });

  it('the step may be resumed with fresh attempts; what came before is kept', () => {
    const game = exhausted().as(OWNER).send('resume', {});
    expect(game.state).toMatchObject({ status: 'in_progress', current_step: 'write', last_error: null });
    expect(game.record().attempts).toMatchObject({ current: 1, history: [] });
    expect(game.record('plan').artifacts).toEqual({ plan_path: 'p.md' });
  });

  it('a way for failures is taken instead, if there is one', () => {
    const workflow = steps(
      { id: 'a', attempts: 1, next: { ok: null, fail: 'mend' } },
      { id: 'mend', required: false, next: 'a' },
    );
    const game = play(workflow).done({ outcome: 'fail', feedback: 'No.' });
    expect(game.state).toMatchObject({ current_step: 'mend', feedback: 'No.' });
  });
});
