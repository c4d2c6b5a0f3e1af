// G2 and P1: workflows far larger than anyone writes. A recursive walk would overflow the stack here. Nothing
// is timed, so a proof that only became slower is not seen by these tests.
import { describe, expect, it } from 'vitest';
import type { Graph, GraphEdge } from '../../../shared/engine/prove/graph.ts';
import { proveGraph } from '../../../shared/engine/prove/prove-graph.ts';

const SIZE = 20_000;
const upTo = (size: number) => Array.from({ length: size }, (_, i) => i);
const edge = (from: number, to: number, on = 'ok'): GraphEdge => ({
  from,
  to: to < SIZE ? to : null,
  on,
  completes: on === 'ok',
  auto: on === 'auto',
});

/** A chain of 20,000 steps, and the edges each step has beside the one to the next. */
const chain = (more: (step: number) => GraphEdge[], required = (_step: number) => true): Graph => ({
  workflow: 'long',
  entry: 0,
  steps: upTo(SIZE).map((step) => ({ id: `s${step}`, required: required(step), final: null })),
  edges: upTo(SIZE).flatMap((step) => [edge(step, step + 1), ...more(step)]),
});

describe('a workflow of 20,000 steps', () => {
  it.each<[string, Graph]>([
    ['without loops', chain(() => [])],
    [
      'with a way back every ten steps',
      chain((step) => (step % 10 === 9 ? [edge(step, step - 9, 'fail')] : [])),
    ],
    ['with a way back to the start from everywhere', chain((step) => [edge(step, 0, 'fail')])],
    [
      'with a way back to the second step from everywhere',
      chain((step) => (step > 0 ? [edge(step, 1, 'fail')] : [])),
    ],
    ['with a way back half way from everywhere', chain((step) => [edge(step, step >> 1, 'fail')])],
  ])('is proven as a chain %s', (_title, graph) => {
    const { problems, milestones, dominator } = proveGraph(graph);
    expect(problems).toEqual([]);
    expect(milestones).toEqual(upTo(SIZE));
    expect(dominator).toEqual(upTo(SIZE).map((step) => step - 1));
  });

  it('is proven as a ladder whose steps may each be skipped', () => {
    const { problems, milestones, dominator } = proveGraph(
      chain(
        (step) => (step + 2 <= SIZE ? [edge(step, step + 2, 'skip')] : []),
        (step) => step === 0,
      ),
    );
    expect(problems.map(({ check, step, path }) => [check, step, path?.length])).toEqual([[7, 's0', 10_001]]);
    expect(milestones).toEqual([0]);
    expect(dominator).toEqual(upTo(SIZE).map((step) => Math.min(step - 1, 0)));
  });

  it('gives nineteen counterexamples and the number of the others', () => {
    const { problems } = proveGraph(chain((step) => [edge(step, step + 1, 'fail')]));
    expect(problems).toHaveLength(20);
    expect(problems[18]).toMatchObject({ check: 7, step: 's18' });
    expect(problems[18]?.path).toEqual([...upTo(SIZE).map((step) => `s${step}`), 'end']);
    expect(problems[19]).toMatchObject({
      check: 7,
      step: null,
      message: '19981 more problems of this kind are not listed.',
    });
  });

  it('writes a long counterexample without its middle', () => {
    const [problem] = proveGraph(chain((step) => (step === 0 ? [edge(0, 1, 'fail')] : []))).problems;
    expect(problem?.message).toContain(
      ': s0 —fail→ s1 → s2 → s3 → s4 → s5 → s6 → … (19988 more) … → s19995 → s19996 → s19997 → s19998 → s19999 → end.',
    );
  });

  it('names the step at which an unreachable tail begins first', () => {
    const graph = chain(() => []);
    const cut = { ...graph, edges: [{ ...edge(0, 0), to: null }, ...graph.edges.slice(1)] };
    const { problems } = proveGraph({
      ...cut,
      steps: cut.steps.toReversed(),
      edges: cut.edges.map(mirror),
      entry: SIZE - 1,
    });
    expect(problems).toHaveLength(20);
    expect(problems[0]).toMatchObject({ check: 4, step: 's1' });
    expect(problems[19]?.message).toBe('19980 more problems of this kind are not listed.');
  });

  it('names ten steps of a trap that holds them all but one', () => {
    const graph = chain(() => []);
    const edges = [{ ...edge(0, 0, 'ok'), to: null }, ...graph.edges.slice(0, -1), edge(SIZE - 1, 1)];
    const { problems } = proveGraph({
      ...graph,
      edges,
      steps: graph.steps.map((step) => ({ ...step, required: false })),
    });
    expect(problems.map(({ check, step }) => [check, step])).toEqual([[6, 's1']]);
    expect(problems[0]?.message).toContain('"s9", "s10" and 19989 more lead only to one another');
  });

  it('finds the one automatic loop through all of them', () => {
    const graph = chain(() => []);
    const round = upTo(SIZE).map((step) => edge(step, (step + 1) % SIZE, 'auto'));
    const { problems } = proveGraph({ ...graph, edges: [...round, ...graph.edges] });
    const loop = problems.find(({ check }) => check === 8);
    expect(loop?.path).toEqual([...graph.steps.map(({ id }) => id), 's0']);
  });
});

/** The same edge with the steps counted from the other end. */
function mirror(each: GraphEdge): GraphEdge {
  return { ...each, from: SIZE - 1 - each.from, to: each.to === null ? null : SIZE - 1 - each.to };
}
