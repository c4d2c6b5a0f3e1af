// A workflow as a bare graph: what is left of a definition when only "where can it go" matters.
// The compiler builds it from either input form; indices are positions in `steps` and always valid,
// which is why the files of this folder may write `!` after an index.
//
//   G1  A final step ends the instance: what leaves it is never followed.
//   G2  Every walk is a loop over a queue or a stack of our own, so a long chain cannot overflow the call stack.

export interface GraphStep {
  readonly id: string;
  readonly required: boolean;
  readonly final: 'success' | 'failure' | null;
}

export interface GraphEdge {
  readonly from: number;
  /** null is a successful end of the workflow. */
  readonly to: number | null;
  readonly on: string;
  readonly completes: boolean;
  readonly auto: boolean;
}

export interface Graph {
  readonly workflow: string;
  readonly entry: number;
  readonly steps: readonly GraphStep[];
  readonly edges: readonly GraphEdge[];
}

/** The edges that can be followed (G1), by the step they leave. */
export type Leaving = readonly (readonly GraphEdge[])[];

export function edgesByStep(graph: Graph): Leaving {
  const leaving = graph.steps.map((): GraphEdge[] => []);
  for (const edge of graph.edges) {
    if (graph.steps[edge.from]!.final === null) leaving[edge.from]!.push(edge);
  }
  return leaving;
}

/** The fewest edges from a step to the first edge that `arrives`, using `open` edges only; null if none does. */
export function shortestWay(
  leaving: Leaving,
  start: number,
  arrives: (edge: GraphEdge) => boolean,
  open: (edge: GraphEdge) => boolean = () => true,
): GraphEdge[] | null {
  const reachedBy = new Map<number, GraphEdge | null>([[start, null]]);
  const queue = [start];
  for (const step of queue) {
    for (const edge of leaving[step]!) {
      if (!open(edge)) continue;
      if (arrives(edge)) return wayUpTo(edge, reachedBy);
      if (edge.to === null || reachedBy.has(edge.to)) continue;
      reachedBy.set(edge.to, edge);
      queue.push(edge.to);
    }
  }
  return null;
}

function wayUpTo(last: GraphEdge, reachedBy: ReadonlyMap<number, GraphEdge | null>): GraphEdge[] {
  const way: GraphEdge[] = [];
  for (let edge: GraphEdge | null = last; edge !== null; edge = reachedBy.get(edge.from) ?? null)
    way.push(edge);
  return way.reverse();
}
