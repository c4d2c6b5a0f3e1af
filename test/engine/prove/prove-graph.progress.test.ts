// What the engine reads from the proof: milestones for progress, dominators for prerequisites.
import { describe, expect, it } from 'vitest';
import { proveGraph } from '../../../shared/engine/prove/prove-graph.ts';
import { graphOf, ids } from './graphs.ts';

type Spec = Readonly<Record<string, string>>;

describe('what the engine reads from the proof', () => {
  it.each<[string, Spec, string[]]>([
    ['all steps of a straight workflow', { a: 'ok:b', b: 'ok:c', c: 'ok:end' }, ['a', 'b', 'c']],
    ['not the final step', { a: 'ok:b', b: 'ok:z', z: 'success' }, ['a', 'b']],
    ['not the side branch', { a: 'ok:b skip:c', 'b?': 'ok:c', c: 'ok:end' }, ['a', 'c']],
    ['in the order met, not the order written', { a: 'ok:c', b: 'ok:end', c: 'ok:b' }, ['a', 'c', 'b']],
    ['visited is enough, completed or not', { a: 'ok:b fail:b', b: 'ok:end' }, ['a', 'b']],
    ['what only failure avoids still counts', { a: 'ok:b fail:x', b: 'ok:end', x: 'failure' }, ['a', 'b']],
    ['none if success is out of reach', { a: 'ok:x', x: 'failure' }, []],
    ['none if the entry is final', { a: 'success' }, []],
  ])('milestones: %s', (_title, spec, expected) => {
    const graph = graphOf(spec);
    expect(ids(graph, proveGraph(graph).milestones)).toEqual(expected);
  });

  it('dominators: branches meet again under the step where they part', () => {
    const spec = { a: 'ok:b', b: 'x:c y:d', c: 'ok:e', d: 'ok:e', e: 'ok:end REJECT:a', lost: 'ok:e' };
    expect(proveGraph(graphOf(spec)).dominator).toEqual([-1, 0, 1, 1, 1, -1]);
  });

  it('the entry need not be the first step', () => {
    const graph = { ...graphOf({ b: 'ok:end', a: 'ok:b' }), entry: 1 };
    expect(proveGraph(graph)).toEqual({ problems: [], milestones: [1, 0], dominator: [1, -1] });
  });

  it('a delivery workflow with rejection loops is proven, and progress counts its main road', () => {
    const graph = graphOf({
      'todo?': 'CLAIM_TASK:in_progress',
      'in_progress?': 'COMMIT_CODE:pending_arch_review',
      'pending_arch_review?': 'CLAIM_REVIEW:arch_review',
      arch_review: 'APPROVE_DESIGN:pending_qa REJECT_DESIGN:arch_rejected',
      'arch_rejected?': 'REVISE_CODE:in_progress',
      'pending_qa?': 'CLAIM_TESTING:qa_testing',
      qa_testing: 'TESTS_PASS:po_review REJECT_BUGS:qa_rejected',
      'qa_rejected?': 'FIX_BUGS:in_progress',
      po_review: 'APPROVE_STORY:done REJECT_STORY:todo',
      done: 'success',
    });
    const { problems, milestones } = proveGraph(graph);
    expect(problems).toEqual([]);
    expect(ids(graph, milestones)).toEqual(
      'todo in_progress pending_arch_review arch_review pending_qa qa_testing po_review'.split(' '),
    );
  });

  it('a delivery workflow whose rejection leads on to testing is caught', () => {
    const graph = graphOf({
      code: 'COMMIT:review',
      review: 'APPROVE:testing REJECT:rejected',
      'rejected?': 'ARGUE:testing REVISE:code',
      testing: 'PASS:done',
      done: 'success',
    });
    expect(proveGraph(graph).problems.map(({ message }) => message)).toEqual([
      'Step "review" is required, but a path to a successful end leaves it by "REJECT", which does not complete it: ' +
        'code —COMMIT→ review —REJECT→ rejected —ARGUE→ testing —PASS→ done.',
    ]);
  });
});
