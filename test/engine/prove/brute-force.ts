// The slow and obvious answers, straight from the definitions: take something out of the graph and see
// what can still be reached. Only a final step's edges are ignored; nothing is shared with the code under test.
import type { Graph, GraphEdge } from '../../../shared/engine/prove/graph.ts';

const followed = (graph: Graph) => graph.edges.filter(({ from }) => graph.steps[from]?.final === null);

/** Every step that can be visited from `start` by these edges, `start` included. */
function visitable(edges: readonly GraphEdge[], start: number): Set<number> {
  const seen = new Set([start]);
  for (let size = 0; size !== seen.size; ) {
    size = seen.size;
    for (const { from, to } of edges) if (to !== null && seen.has(from)) seen.add(to);
  }
  return seen;
}

const ends = (graph: Graph, step: number, kinds: readonly string[]) =>
  kinds.includes(graph.steps[step]?.final ?? '') ||
  followed(graph).some(({ from, to }) => from === step && to === null);

function canSucceed(graph: Graph, edges: readonly GraphEdge[]): boolean {
  const seen = [...visitable(edges, graph.entry)];
  return (
    seen.some((step) => graph.steps[step]?.final === 'success') ||
    edges.some(({ from, to }) => to === null && seen.includes(from))
  );
}

const reachableSteps = (graph: Graph) => visitable(followed(graph), graph.entry);

export const unreachable = (graph: Graph) =>
  [...graph.steps.keys()].filter((step) => !reachableSteps(graph).has(step));

/** The lowest of each set of unreachable steps that all lead to one another and that no other step leads to. */
export const unreachableRoots = (graph: Graph) =>
  unreachable(graph).filter((step, _, lost) => {
    const after = visitable(followed(graph), step);
    const before = lost.filter((other) => visitable(followed(graph), other).has(step));
    return before.every((other) => after.has(other) && other >= step);
  });

export const hasEnd = (graph: Graph) =>
  graph.steps.some((_, step) => ends(graph, step, ['success', 'failure']));

/** u dominates v: without u, v is out of reach. */
function dominates(graph: Graph, u: number, v: number): boolean {
  if (u === v || u === graph.entry) return true;
  const without = followed(graph).filter(({ from, to }) => from !== u && to !== u);
  return !visitable(without, graph.entry).has(v);
}

/** The dominator of v that all its other dominators dominate. */
export function immediateDominator(graph: Graph, v: number): number {
  const seen = reachableSteps(graph);
  if (v === graph.entry || !seen.has(v)) return -1;
  const above = [...seen].filter((u) => u !== v && dominates(graph, u, v));
  return above.find((u) => above.every((other) => dominates(graph, other, u))) ?? -1;
}

export function milestones(graph: Graph): number[] {
  if (!canSucceed(graph, followed(graph))) return [];
  const found = [...graph.steps.keys()].filter((step) => {
    if (graph.steps[step]?.final !== null) return false;
    if (step === graph.entry) return true;
    const without = followed(graph).filter(({ from, to }) => from !== step && to !== step);
    return !canSucceed(graph, without);
  });
  return found.sort((a, b) => (dominates(graph, a, b) ? -1 : 1));
}

/** Required steps that can be avoided: success is possible though nothing leaves them completed. */
export function avoidable(graph: Graph): number[] {
  const seen = reachableSteps(graph);
  return [...seen]
    .filter((step) => graph.steps[step]?.required && graph.steps[step].final === null)
    .filter((step) => canSucceed(graph, withoutCompleting(graph, step)))
    .sort((a, b) => a - b);
}

const withoutCompleting = (graph: Graph, step: number) =>
  followed(graph).filter(({ from, completes }) => from !== step || !completes);

/** Length of the shortest path (in names, the end included) that avoids completing a step: by trying lengths. */
export function shortestBypass(graph: Graph, step: number): number {
  const edges = withoutCompleting(graph, step);
  let now = new Set([graph.entry]);
  for (let length = 2; length <= graph.steps.length + 1; length++) {
    const taken = edges.filter(({ from }) => now.has(from));
    if (taken.some(({ to }) => to === null || graph.steps[to]?.final === 'success')) return length;
    now = new Set(taken.map(({ to }) => to).filter((to) => to !== null));
  }
  return -1;
}

/** Steps that can be entered but from which nothing ends. */
export function stuck(graph: Graph): number[] {
  const out = (step: number) => [...visitable(followed(graph), step)];
  return [...reachableSteps(graph)].filter(
    (step) => !out(step).some((other) => ends(graph, other, ['success', 'failure'])),
  );
}

/** Of the stuck steps, the first of each set that all reach one another and nothing else. */
export function traps(graph: Graph): number[] {
  const out = (step: number) => visitable(followed(graph), step);
  return stuck(graph)
    .filter((step) => [...out(step)].every((other) => out(other).has(step) && other >= step))
    .sort((a, b) => a - b);
}

/** Steps that automatic edges lead back to, by a depth-first search from each; one set for each tangle. */
export function autoLoops(graph: Graph): number[] {
  const edges = followed(graph).filter(({ auto }) => auto);
  const onLoop = (step: number) =>
    edges.some(({ from, to }) => from === step && to !== null && depthFirst(edges, to, step, new Set()));
  const tied = (a: number, b: number) => visitable(edges, a).has(b) && visitable(edges, b).has(a);
  const looping = [...graph.steps.keys()].filter(onLoop);
  return looping.filter((step) => looping.every((other) => other >= step || !tied(step, other)));
}

function depthFirst(edges: readonly GraphEdge[], at: number, goal: number, seen: Set<number>): boolean {
  if (at === goal) return true;
  if (seen.has(at)) return false;
  seen.add(at);
  return edges.some(({ from, to }) => from === at && to !== null && depthFirst(edges, to, goal, seen));
}
