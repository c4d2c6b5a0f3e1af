// Which clocks an instance needs, what they wait for, and what they have to say afterwards.
import { describe, expect, it } from 'vitest';
import {
  clocksOf,
  hasClocks,
  isSignOfLife,
  nextWait,
  signalAfter,
  waitOf,
} from '../../shared/engine/clock.ts';
import type { Wait } from '../../shared/engine/model/clock.ts';
import { SYSTEM } from '../../shared/engine/model/actor.ts';
import { delivery, steps } from '../support/definitions.ts';
import { agent, NOON, OWNER, type Play, play } from '../support/play.ts';

const QUESTIONS = [{ question: 'Which?', options: ['this', 'that'] }];

const tried = steps(
  {
    id: 'write',
    attempts: {
      max: 3,
      timeout_seconds: 600,
      heartbeat_seconds: 120,
      backoff_seconds: 60,
      backoff_jitter: 0,
    },
  },
  { id: 'judge', triggers_retry: true, deadline: 30 },
  { id: 'print' },
);
const timed = steps(
  { id: 'a', approval: { allow_self: true }, deadline: { seconds: 100, remind_after_seconds: 40 } },
  { id: 'b' },
);

const clocks = (game: Play) => clocksOf(game.workflow, game.state);
const next = (game: Play, key: string, now: string) => nextWait(game.workflow, game.state, key, now);
const wait = (game: Play, key: string): Wait => {
  const found = waitOf(game.workflow, game.state, key);
  if (!found) throw new Error(`${key} is not needed`);
  return found;
};
const said = (game: Play, key: string, awaited: Wait, now: string, because: 'time' | 'silence' = 'time') =>
  signalAfter(game.workflow, game.state, key, awaited, because, now);
const at = (time: string) => `2026-03-01T${time}.000Z`;

describe('an instance needs', () => {
  it.each([
    ['one clock while an attempt is worked on', play(tried), ['attempts#1#write']],
    ['two while it is judged under a deadline', play(tried).done(), ['deadline#2#judge', 'attempts#1#write']],
    ['none once the attempt has passed', play(tried).done().done(), []],
    ['the same one for the next attempt', play(tried).done({ outcome: 'fail' }), ['attempts#1#write']],
    ['none when it is cancelled', play(tried).send('cancel', {}), []],
    ['one for a visit with a deadline', play(timed), ['deadline#1#a']],
    ['the same one while it waits for a person', play(timed).done(), ['deadline#1#a']],
    ['none on a step without', play(timed).done().send('approve', { approved: true }), []],
  ])('%s', (_, game, keys) => {
    expect(clocks(game)).toEqual(keys);
  });

  it('another one for attempts that begin anew', () => {
    const game = play(tried).send('cancel', {}).send('resume', {});
    expect(clocks(game)).toEqual(['attempts#2#write']);
  });

  it('another one for an attempt that is gone on with: the first was stopped, and its name is used up', () => {
    const game = play(tried).done().send('cancel', {}).send('resume', {});
    expect(clocks(game)).toEqual(['deadline#3#judge', 'attempts#3#write']);
  });

  it('none for attempts without a time in them, nor for a workflow without any', () => {
    const plain = steps({ id: 'a', attempts: 3 });
    expect([hasClocks(plain), clocks(play(plain))]).toEqual([false, []]);
    expect([hasClocks(delivery), hasClocks(tried), hasClocks(timed)]).toEqual([false, true, true]);
  });

  it('one between working and judging', () => {
    const workflow = steps(
      { id: 'a', attempts: { max: 2, timeout_seconds: 10 } },
      { id: 'b' },
      { id: 'c', triggers_retry: true },
    );
    const game = play(workflow).done();
    expect([game.state.current_step, clocks(game)]).toEqual(['b', ['attempts#1#a']]);
  });
});

describe('an attempt', () => {
  const KEY = 'attempts#1#write';

  it('is waited for with what is left of its time, and with heartbeats', () => {
    const game = play(tried);
    const token = { wait: 'token', heartbeat_seconds: 120, seq: 1 };
    expect(next(game, KEY, NOON)).toMatchObject({ ...token, seconds: 600 });
    expect(next(game, KEY, '2026-03-01T12:00:59.001Z')).toMatchObject({ ...token, seconds: 541 });
    expect(next(game, KEY, at('12:08:10'))).toMatchObject({ seconds: 110, heartbeat_seconds: null });
    expect(next(game, KEY, at('13:00:00'))).toMatchObject({ seconds: 1 });
  });

  it('needs no heartbeats while it is judged; its time goes on', () => {
    const game = play(tried).at(at('12:05:00')).done();
    expect(next(game, KEY, at('12:05:00'))).toMatchObject({ seconds: 300, heartbeat_seconds: null });
  });

  it('is not timed while a person is asked, and has what was left afterwards', () => {
    const game = play(tried).at(at('12:01:00')).signal({ action: 'need_input', questions: QUESTIONS });
    expect(wait(game, KEY)).toMatchObject({ at: null, tells: null, heartbeat_seconds: null });
    expect(next(game, KEY, at('12:01:00'))).toMatchObject({ wait: 'token', seconds: 30 * 24 * 3600 });
    game.at(at('14:00:00')).send('answer', { answers: ['this'] });
    expect(next(game, KEY, at('14:00:00'))).toMatchObject({ seconds: 540, heartbeat_seconds: 120 });
  });

  it.each([
    ['where it is judged', (game: Play) => game, {}],
    ['at its judge again', (game: Play) => game.at(at('12:30:00')).done(), { from_step: 'judge' }],
  ])('has its whole time when it is resumed %s', (_, stop, body) => {
    const game = stop(play(tried).at(at('12:05:00')).done()).send('cancel', {});
    game.at(at('14:00:00')).send('resume', body);
    expect(game.record('write').attempts?.opened_at).toBe(NOON);
    expect(wait(game, 'attempts#' + game.state.turn + '#write').at).toBe(at('14:10:00'));
  });

  it('that is due later is waited for until a whole second', () => {
    const game = play(tried).at('2026-03-01T12:00:00.250Z').done({ outcome: 'fail' });
    expect(next(game, KEY, NOON)).toMatchObject({ wait: 'until', at: at('12:01:01') });
    expect(wait(game, KEY)).toMatchObject({ at: '2026-03-01T12:01:00.250Z', tells: { event: 'opened' } });
  });

  it('is done with after the last', () => {
    const game = play(steps({ id: 'a', attempts: { max: 1, timeout_seconds: 5 } })).done({ outcome: 'fail' });
    expect(next(game, 'attempts#1#a', NOON)).toEqual({ done: true });
  });
});

describe('a deadline', () => {
  const KEY = 'deadline#1#a';

  it('reminds first, once, then ends', () => {
    const game = play(timed);
    expect(next(game, KEY, NOON)).toMatchObject({ seconds: 40, awaited: { tells: { event: 'remind' } } });
    const remind = said(game, KEY, wait(game, KEY), at('12:00:40'));
    expect(remind).toEqual({ type: 'deadline', body: { event: 'remind', turn: 1, expected_version: 1 } });
    game.as(SYSTEM).at(at('12:00:40')).send('deadline', { event: 'remind', turn: 1 });
    expect(next(game, KEY, at('12:00:40'))).toMatchObject({
      seconds: 60,
      awaited: { tells: { event: 'expired' } },
    });
  });

  it('counts anew when a person is waited for', () => {
    const game = play(timed).at(at('12:01:00')).done();
    expect(game.state.status).toBe('waiting_approval');
    expect(next(game, KEY, at('12:01:00'))).toMatchObject({ seconds: 40 });
  });

  it('does not count before its attempt opens', () => {
    const attempts = { max: 2, backoff_seconds: 60, backoff_jitter: 0 };
    const game = play(steps({ id: 'a', attempts, deadline: 30 })).done({ outcome: 'fail' });
    expect(next(game, 'deadline#2#a', NOON)).toMatchObject({ seconds: 90 });
    const { turn } = game.record();
    game.as(SYSTEM).at(at('12:01:05')).send('attempt', { event: 'opened', turn });
    expect(next(game, 'deadline#2#a', at('12:01:05'))).toMatchObject({ seconds: 30 });
  });
});

describe('after it has waited, a clock', () => {
  const KEY = 'attempts#1#write';
  const lost = { type: 'attempt', body: { event: 'heartbeat_lost', turn: 1, expected_version: 1 } };

  it('speaks of the turn that counts now, though it was another when it began to wait', () => {
    const game = play(tried).send('claim', {});
    const awaited = wait(game, KEY);
    game.send('release', {});
    expect(said(game, KEY, awaited, at('12:10:00'))).toEqual({
      type: 'attempt',
      body: { event: 'timed_out', turn: 2, expected_version: 3 },
    });
  });

  it('says that whoever works is silent', () => {
    const game = play(tried);
    expect(said(game, KEY, wait(game, KEY), at('12:02:00'), 'silence')).toEqual(lost);
    expect(said(game, KEY, wait(game, KEY), at('12:02:00'))).toEqual(lost);
  });

  it('has nothing to say when it comes early', () => {
    const game = play(timed);
    expect(said(game, 'deadline#1#a', wait(game, 'deadline#1#a'), at('12:00:20'))).toBeNull();
    expect(said(game, 'deadline#1#a', wait(game, 'deadline#1#a'), '2026-03-01T12:00:39.000Z')).not.toBeNull();
  });

  it.each<[string, (game: Play) => Play]>([
    ['the work is handed in', (game) => game.done()],
    ['the attempt is over', (game) => game.done({ outcome: 'fail' })],
    ['a person is asked', (game) => game.signal({ action: 'need_input', questions: QUESTIONS })],
    ['the instance is cancelled', (game) => game.send('cancel', {})],
    ['it is on to the end', (game) => game.done().done().done()],
  ])('has nothing to say of silence once %s', (_, change) => {
    const game = play(tried);
    const awaited = wait(game, KEY);
    expect(said(change(game), KEY, awaited, at('12:10:00'), 'silence')).toBeNull();
  });
});

describe('a sign of life', () => {
  const log = (game: Play, actor = agent('w', 'bot')) => {
    const { decision } = game;
    return {
      actor,
      signal: { type: 'signal', body: {} },
      ...(decision.kind === 'commit' ? { verdict: decision.verdict } : {}),
    };
  };

  it('is what was accepted or blocked, not what was refused, nor what the clock says', () => {
    expect(isSignOfLife(log(play(tried).signal({ action: 'stay' })))).toBe(true);
    expect(isSignOfLife(log(play(tried).as(agent('x')).signal({ action: 'stay' })))).toBe(false);
    expect(isSignOfLife(log(play(tried).as(OWNER).signal({ action: 'stay' }), SYSTEM))).toBe(false);
  });
});
