// Each check of the graph proof by example: a small workflow, and which of its steps are at fault.
import { describe, expect, it } from 'vitest';
import { proveGraph } from '../../../shared/engine/prove/prove-graph.ts';
import { graphOf, verdicts } from './graphs.ts';

type Spec = Readonly<Record<string, string>>;

describe('which problems a workflow has', () => {
  it.each<[string, Spec, string[]]>([
    ['a straight workflow is proven', { a: 'ok:b', b: 'ok:c', c: 'ok:end' }, []],
    ['one step that goes to the end is proven', { a: 'ok:end' }, []],
    ['one step that is final is proven', { a: 'success' }, []],
    ['an entry that is a failure ends at least', { a: 'failure' }, []],
    ['a rejection loop is proven', { a: 'ok:b', b: 'ok:end REJECT:a' }, []],
    ['a step that repeats itself is proven', { a: 'iterate:a ok:b', b: 'ok:end' }, []],
    ['an optional side branch is proven', { a: 'ok:b skip:c', 'b?': 'ok:c', c: 'ok:end' }, []],
    ['a failing way to a final failure avoids nothing', { a: 'ok:b fail:x', b: 'ok:end', x: 'failure' }, []],
    ['two ends that both lie behind the required steps', { a: 'ok:end skip:z', z: 'success' }, []],
    ['final steps are exempt from being required', { a: 'ok:y skip:z', y: 'success', z: 'success' }, []],

    ['3: a loop without any end', { a: 'ok:b', b: 'ok:a' }, ['3 -']],
    ['3: a single step that goes nowhere', { a: '' }, ['3 -']],

    ['4: a step no one leads to', { a: 'ok:end', b: 'ok:end' }, ['4 b']],
    ['4: a step that only leads to itself', { a: 'ok:end', b: 'iterate:b ok:end' }, ['4 b']],
    ['4: roots before what hangs off them', { a: 'ok:end', b: 'ok:end', c: 'ok:b' }, ['4 c', '4 b']],
    ['4: an unreachable loop has one root', { a: 'ok:end', b: 'ok:c', c: 'ok:b skip:end' }, ['4 b', '4 c']],
    ['4: a final step is never left', { a: 'ok:z', z: 'success ok:b', b: 'ok:end' }, ['4 b']],
    ['4: an unreachable required step is not also avoided', { a: 'ok:end', b: 'ok:end' }, ['4 b']],

    ['6: a step without a way out', { a: 'ok:end skip:b', 'b?': '' }, ['6 b']],
    ['6: a step that leads only to itself', { a: 'ok:end skip:b', 'b?': 'iterate:b' }, ['6 b']],
    [
      '6: two steps that lead only to one another',
      { a: 'ok:end skip:b', 'b?': 'ok:c', 'c?': 'ok:b' },
      ['6 b'],
    ],
    ['6: the trap, not the way into it', { a: 'ok:end skip:b', 'b?': 'ok:c', 'c?': '' }, ['6 c']],
    ['6: two traps', { a: 'ok:end skip:b fail:c', 'b?': '', 'c?': 'iterate:c' }, ['6 b', '6 c']],
    ['6: failing ends it, even where success is out of reach', { a: 'ok:b', b: 'ok:x', x: 'failure' }, []],
    ['6: an end that cannot be reached does not help', { a: 'ok:a', b: 'ok:end' }, ['4 b', '6 a']],
    ['6: an unreachable trap is only unreachable', { a: 'ok:end', b: 'iterate:b' }, ['4 b']],

    ['7: a step that is skipped past', { a: 'ok:b skip:c', b: 'ok:c', c: 'ok:end' }, ['7 b']],
    ['7: a step that may be left by fail', { a: 'ok:b', b: 'ok:c fail:c', c: 'ok:end' }, ['7 b']],
    ['7: an entry that may be left by fail', { a: 'ok:b fail:b', b: 'ok:end' }, ['7 a']],
    ['7: fail straight to the end', { a: 'ok:end fail:end' }, ['7 a']],
    ['7: fail that comes back is no bypass', { a: 'ok:b', b: 'ok:end fail:c', 'c?': 'ok:a' }, []],
    ['7: an early final success', { a: 'ok:b done:z', b: 'ok:end', z: 'success' }, ['7 b']],
    ['7: an early edge to the end', { a: 'ok:b skip:end', b: 'ok:end' }, ['7 b']],
    [
      '7: either of two branches avoids the other',
      { a: 'x:b y:c', b: 'ok:end', c: 'ok:end' },
      ['7 b', '7 c'],
    ],
    ['7: a required step off the way', { a: 'ok:end REJECT:b', b: 'ok:a' }, ['7 b']],

    ['8: an automatic self loop', { a: 'auto:a ok:end' }, ['8 a']],
    ['8: an automatic loop of two', { a: 'ok:b', b: 'auto:c ok:end', 'c?': 'auto:b' }, ['8 b']],
    ['8: a loop that waits for someone once', { a: 'auto:b', b: 'auto:c ok:end', 'c?': 'ok:a' }, []],
    ['8: each tangle once', { a: 'auto:a ok:b', b: 'auto:c ok:end', 'c?': 'auto:b auto:c' }, ['8 a', '8 b']],
    ['8: automatic steps in a row', { a: 'auto:b', b: 'auto:c', c: 'auto:end' }, []],

    [
      'problems of several kinds come together, in the order of the checks',
      { a: 'auto:a ok:b skip:c fail:t', b: 'ok:c', c: 'ok:end', 't?': '', u: 'ok:c' },
      ['4 u', '6 t', '7 b', '8 a'],
    ],
  ])('%s', (_title, spec, expected) => {
    expect(verdicts(proveGraph(graphOf(spec)).problems)).toEqual(expected);
  });
});
