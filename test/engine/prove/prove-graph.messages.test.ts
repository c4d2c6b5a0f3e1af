// What an author reads when a check fails: the sentence, the way to mend it, and the path.
import { describe, expect, it } from 'vitest';
import { proveGraph } from '../../../shared/engine/prove/prove-graph.ts';
import { graphOf } from './graphs.ts';

type Spec = Readonly<Record<string, string>>;

describe('what is said about a problem', () => {
  it.each<[string, Spec, string, string]>([
    [
      'no end',
      { a: 'ok:a' },
      'Workflow "w" can never end: no transition goes to the end and no step is final.',
      'Set `next: null` (or a transition with `to: end`) on its last step, or mark a step `final`.',
    ],
    [
      'never entered',
      { a: 'ok:end', b: 'ok:end' },
      'Step "b" can never be entered: no other step leads to it.',
      'Point the `next` or a transition\'s `to` of an earlier step at "b", or remove "b".',
    ],
    [
      'entered only from an unreachable loop',
      { a: 'ok:end', b: 'ok:c', c: 'ok:b skip:end' },
      'Step "b" can never be entered: only steps that are never entered themselves lead to it, such as "c".',
      'Point the `next` or a transition\'s `to` of an earlier step at "b", or remove "b".',
    ],
    [
      'entered only from itself',
      { a: 'ok:end', b: 'iterate:b ok:end' },
      'Step "b" can never be entered: no other step leads to it.',
      'Point the `next` or a transition\'s `to` of an earlier step at "b", or remove "b".',
    ],
    [
      'behind a final step',
      { a: 'ok:z', z: 'success ok:b', b: 'ok:end' },
      'Step "b" can never be entered: only the final step "z" points at it, and a final step is never left.',
      'Point the `next` or a transition\'s `to` of an earlier step at "b", or remove "b".',
    ],
    [
      'a dead end',
      { a: 'ok:end skip:b', 'b?': '' },
      'Step "b" has no way out: once there, the workflow can never reach an end.',
      'Give "b" a transition whose `to` leads on to an end, or mark it `final` (`terminal` in the FSM form).',
    ],
    [
      'a step that is its own trap',
      { a: 'ok:end skip:b', 'b?': 'iterate:b' },
      'Step "b" leads only to itself: once there, the workflow can never reach an end.',
      'Give "b" a transition whose `to` leads on to an end, or mark it `final` (`terminal` in the FSM form).',
    ],
    [
      'a trap of several steps',
      { a: 'ok:end skip:d', 'b?': 'ok:c', 'c?': 'ok:d', 'd?': 'ok:b' },
      'Steps "b", "c" and "d" lead only to one another: once there, the workflow can never reach an end.',
      'Give "b" a transition whose `to` leads on to an end, or mark it `final` (`terminal` in the FSM form).',
    ],
    [
      'a step avoided',
      { a: 'ok:b skip:c', b: 'ok:c', c: 'ok:end' },
      'Step "b" is required, but a path to a successful end avoids it: a —skip→ c → end.',
      'Change a `to` on this path so that it goes through "b", or set `required: false` on "b".',
    ],
    [
      'a step left by fail',
      { a: 'ok:b', b: 'ok:c fail:c', c: 'ok:end' },
      'Step "b" is required, but a path to a successful end leaves it by "fail", which does not complete it: a → b —fail→ c → end.',
      'Point the `to` of "fail" at a step that leads back to "b", or set `required: false` on "b".',
    ],
    [
      'an automatic loop',
      { a: 'ok:b', b: 'auto:c ok:end', 'c?': 'auto:b' },
      'From step "b" automatic transitions can go round for ever: b —auto→ c —auto→ b.',
      'Remove `auto` from one of these transitions, or point its `to` out of the loop.',
    ],
  ])('%s', (_title, spec, message, fix) => {
    expect(proveGraph(graphOf(spec)).problems[0]).toMatchObject({ workflow: 'w', message, fix });
  });

  it('a step that can be left is named as the way in before a final one', () => {
    const spec = { a: 'ok:z', z: 'success ok:c', b: 'ok:c', c: 'ok:end' };
    expect(proveGraph(graphOf(spec)).problems[1]).toMatchObject({
      message:
        'Step "c" can never be entered: only steps that are never entered themselves lead to it, such as "b".',
      fix: 'Point the `next` or a transition\'s `to` of an earlier step at "b", or remove "c".',
    });
  });

  it('what hangs off an unreachable step is sent to that step', () => {
    const [, second] = proveGraph(graphOf({ a: 'ok:end', b: 'ok:end', c: 'ok:b' })).problems;
    expect(second?.fix).toContain('at "c", or remove "b"');
  });

  it.each<[string, Spec, string[]]>([
    ['to the end of the workflow', { a: 'ok:b skip:end', b: 'ok:end' }, ['a', 'end']],
    ['to a final success step', { a: 'ok:b done:z', b: 'ok:z', z: 'success' }, ['a', 'z']],
    [
      'the shortest of several, not the first written',
      { a: 'ok:b skip:c', b: 'ok:e', 'c?': 'ok:d x:e', 'd?': 'ok:e', e: 'ok:end' },
      ['a', 'c', 'e', 'end'],
    ],
    [
      'round an automatic loop, by its shortest turn',
      { a: 'auto:b ok:end', 'b?': 'auto:c auto:a', 'c?': 'auto:a' },
      ['a', 'b', 'a'],
    ],
    ['round an automatic self loop', { a: 'auto:a ok:end' }, ['a', 'a']],
  ])('a path is given: %s', (_title, spec, path) => {
    expect(proveGraph(graphOf(spec)).problems[0]?.path).toEqual(path);
  });

  it('a failure step is no successful end, so a path to it is no counterexample', () => {
    const spec = { a: 'ok:b fail:x skip:c', b: 'ok:end', 'c?': 'ok:end', x: 'failure' };
    expect(proveGraph(graphOf(spec)).problems.map(({ path }) => path)).toEqual([['a', 'c', 'end']]);
  });
});
