// Check 7: no path from the entry to a successful end avoids a required step, and progress counts only
// steps of which the same is true. Both are read from one dominator tree of the split graph: every step is
// two nodes, IN and OUT, joined IN → OUT; what completes the step leaves from OUT, what does not (`fail`)
// from IN; every successful end is one node END, which a final success step enters from its IN.
//
//   Q1  A required step counts only if it is left completed: its OUT must dominate END.
//   Q2  A milestone needs only to be visited: its IN dominates END. Final steps are neither.
//   Q3  Paths of the split graph are those of the plain one, so IN's nearest dominating step is the plain idom.
//   Q4  A required step that is never entered is check 4's to report; without a reachable END nothing is avoided.
import { immediateDominators } from './dominators.ts';
import { type Graph, type GraphEdge, type Leaving, shortestWay } from './graph.ts';
import { type ProofProblem, report, tell } from './problem.ts';
import type { Findings } from './reachable.ts';

export interface Dominance {
  readonly dominator: number[];
  readonly milestones: number[];
  /** Steps completed on every path to a successful end; null when there is no such path. */
  readonly completed: ReadonlySet<number> | null;
}

export function findDominance(graph: Graph, leaving: Leaving): Dominance {
  const end = 2 * graph.steps.length;
  const arcs: number[][] = Array.from({ length: end + 1 }, () => []);
  for (const [step, { final }] of graph.steps.entries()) {
    if (final !== 'failure') arcs[2 * step]!.push(final === null ? 2 * step + 1 : end);
    for (const { to, completes } of leaving[step]!) {
      arcs[2 * step + (completes ? 1 : 0)]!.push(to === null ? end : 2 * to);
    }
  }
  const idom = immediateDominators(arcs, 2 * graph.entry);
  const dominator = graph.steps.map((_, step) => idom[2 * step]! >> 1);
  const completed = new Set<number>();
  const milestones: number[] = [];
  for (let node = idom[end]!; node !== -1; node = idom[node]!) {
    const step = node >> 1;
    if (node % 2 === 1) completed.add(step);
    else if (graph.steps[step]!.final === null) milestones.push(step);
  }
  return { dominator, milestones: milestones.reverse(), completed: idom[end] === -1 ? null : completed };
}

export function proveRequired(
  { graph, leaving, reachable }: Findings,
  { completed }: Dominance,
): ProofProblem[] {
  const { steps, workflow } = graph;
  const avoided = [...steps.entries()].filter(
    ([step, { required, final }]) =>
      required && final === null && reachable(step) && completed !== null && !completed.has(step),
  );
  const succeeds = ({ to }: GraphEdge) => to === null || steps[to]!.final === 'success';
  return report({ workflow, check: 7, key: '`to` or `required`' }, avoided, ([step, { id }]) => {
    const unfinished = (edge: GraphEdge) => edge.from !== step || !edge.completes;
    const way = shortestWay(leaving, graph.entry, succeeds, unfinished) ?? [];
    const { path, text } = tell(graph, way);
    const exit = way.find(({ from }) => from === step);
    const message =
      exit === undefined
        ? `Step "${id}" is required, but a path to a successful end avoids it: ${text}.`
        : `Step "${id}" is required, but a path to a successful end leaves it by "${exit.on}", which does not complete it: ${text}.`;
    const fix =
      exit === undefined
        ? `Change a \`to\` on this path so that it goes through "${id}", or set \`required: false\` on "${id}".`
        : `Point the \`to\` of "${exit.on}" at a step that leads back to "${id}", or set \`required: false\` on "${id}".`;
    return { step: id, message, fix, path };
  });
}
