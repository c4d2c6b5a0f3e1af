// Check 8: automatic transitions cannot loop for ever. A loop of automatic edges only would turn within one
// commit without waiting for anyone.
//
//   A1  Each group of steps tied together by automatic edges is reported once, by the shortest loop through
//       its first step.
import { stronglyConnected } from './components.ts';
import { type Graph, type Leaving, shortestWay } from './graph.ts';
import { type ProofProblem, report, tell } from './problem.ts';

export function proveAutoStops(graph: Graph, leaving: Leaving): ProofProblem[] {
  const automatic = leaving.map((edges) => edges.filter(({ auto }) => auto));
  const { groups } = stronglyConnected(automatic);
  const loops = groups
    .filter((members) => members.length > 1 || automatic[members[0]!]!.some(({ to }) => to === members[0]))
    .sort((a, b) => a[0]! - b[0]!);
  return report({ workflow: graph.workflow, check: 8, key: '`auto` or `to`' }, loops, (members) => {
    const first = members[0]!;
    const { path, text } = tell(graph, shortestWay(automatic, first, ({ to }) => to === first) ?? []);
    const { id } = graph.steps[first]!;
    return {
      step: id,
      message: `From step "${id}" automatic transitions can go round for ever: ${text}.`,
      fix: 'Remove `auto` from one of these transitions, or point its `to` out of the loop.',
      path,
    };
  });
}
