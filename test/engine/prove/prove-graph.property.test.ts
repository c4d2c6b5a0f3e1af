// The proof against brute force, on random small graphs: final steps in odd places, doubled edges, self
// loops, unreachable parts and all.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Graph } from '../../../shared/engine/prove/graph.ts';
import { proveGraph } from '../../../shared/engine/prove/prove-graph.ts';
import * as slow from './brute-force.ts';

const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 7 }).chain((size) => {
  const step = fc.nat(size - 1);
  const final = fc.option(fc.constantFrom('success' as const, 'failure' as const), { freq: 5 });
  const rare = fc.integer({ min: 0, max: 5 });
  return fc.record({
    workflow: fc.constant('w'),
    entry: step,
    steps: fc
      .array(fc.tuple(fc.boolean(), rare, final), { minLength: size, maxLength: size })
      .map((list) =>
        list.map(([required, n, kind], i) => ({ id: `s${i}`, required, final: n < 2 ? kind : null })),
      ),
    edges: fc.array(
      fc.record({
        from: step,
        to: fc.tuple(step, rare).map(([to, n]) => (n === 0 ? null : to)),
        on: fc.constantFrom('ok', 'fail', 'GO'),
        completes: fc.boolean(),
        auto: rare.map((n) => n < 3),
      }),
      { maxLength: 14 },
    ),
  });
});

function everyGraph(holds: (graph: Graph) => void): void {
  const property = fc.property(graphs, (graph) => {
    holds(graph);
  });
  fc.assert(property, { numRuns: 3_000 });
}

const stepsOf = (graph: Graph, check: number) =>
  proveGraph(graph)
    .problems.filter((problem) => problem.check === check)
    .map(({ step }) => graph.steps.findIndex(({ id }) => id === step));

describe('the proof agrees with brute force', () => {
  it('D1, D2, Q3: immediate dominators', () =>
    everyGraph((graph) => {
      const expected = graph.steps.map((_, step) => slow.immediateDominator(graph, step));
      expect(proveGraph(graph).dominator).toEqual(expected);
    }));

  it('Q2: milestones, in path order', () =>
    everyGraph((graph) => expect(proveGraph(graph).milestones).toEqual(slow.milestones(graph))));

  it('check 3: a terminal exists', () =>
    everyGraph((graph) => expect(stepsOf(graph, 3)).toEqual(slow.hasEnd(graph) ? [] : [-1])));

  it('R2, check 4: the steps never entered, those first at which an unreachable group begins', () =>
    everyGraph((graph) => {
      const lost = slow.unreachable(graph);
      const roots = slow.unreachableRoots(graph);
      expect(stepsOf(graph, 4)).toEqual([...roots, ...lost.filter((step) => !roots.includes(step))]);
    }));

  it('R1, check 6: the traps among the steps that cannot end', () =>
    everyGraph((graph) => {
      expect(stepsOf(graph, 6)).toEqual(slow.hasEnd(graph) ? slow.traps(graph) : []);
      const refused = stepsOf(graph, 3).length + stepsOf(graph, 6).length > 0;
      expect(refused).toBe(slow.stuck(graph).length > 0 || !slow.hasEnd(graph));
    }));

  it('Q1, Q4, check 7: the required steps that can be avoided', () =>
    everyGraph((graph) => expect(stepsOf(graph, 7)).toEqual(slow.avoidable(graph))));

  it('check 7: the path given is real, avoids the step, and none is shorter', () =>
    everyGraph((graph) => {
      for (const { check, step, path = [] } of proveGraph(graph).problems) {
        if (check !== 7) continue;
        const at = (id: string | undefined) => graph.steps.findIndex((each) => each.id === id);
        expect(at(path[0])).toBe(graph.entry);
        for (const [i, id] of path.slice(1).entries()) {
          const target = id === 'end' ? null : at(id);
          const walkable = graph.edges.filter(({ from, to }) => from === at(path[i]) && to === target);
          expect(walkable.some(({ completes }) => path[i] !== step || !completes)).toBe(true);
        }
        expect(path.at(-1) === 'end' || graph.steps[at(path.at(-1))]?.final === 'success').toBe(true);
        expect(path).toHaveLength(slow.shortestBypass(graph, at(step ?? '')));
      }
    }));

  it('A1, check 8: each tangle of automatic edges once, by a real loop', () =>
    everyGraph((graph) => {
      expect(stepsOf(graph, 8)).toEqual(slow.autoLoops(graph));
      for (const { check, path = [] } of proveGraph(graph).problems) {
        if (check !== 8) continue;
        expect(path.length > 1 && path[0] === path.at(-1)).toBe(true);
        for (const [i, id] of path.slice(1).entries()) {
          const name = (index: number | null) => graph.steps[index ?? -1]?.id;
          expect(
            graph.edges.some(({ from, to, auto }) => auto && name(from) === path[i] && name(to) === id),
          ).toBe(true);
        }
      }
    }));

  it('the same graph gives the same proof, and is left as it was', () =>
    everyGraph((graph) => {
      const copy = structuredClone(graph);
      expect(proveGraph(graph)).toEqual(proveGraph(copy));
      expect(graph).toEqual(copy);
    }));
});
