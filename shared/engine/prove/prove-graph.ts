// The graph half of "loading a definition proves it": checks 3, 4, 6, 7 and 8, and what the engine later
// reads from the same work (milestones for progress, dominators for prerequisites). Pure and near-linear.
// Checks 1 and 2 (entry and targets exist) are the compiler's: a graph is only built once they hold.
import { proveAutoStops } from './auto-loops.ts';
import { stronglyConnected } from './components.ts';
import { edgesByStep, type Graph } from './graph.ts';
import type { ProofProblem } from './problem.ts';
import { proveEnds, proveEntered } from './reachable.ts';
import { findDominance, proveRequired } from './required.ts';

export interface GraphProof {
  /** In the order of the checks; empty means proven. */
  readonly problems: ProofProblem[];
  /** Non-final steps on every path to a successful end, in path order. */
  readonly milestones: number[];
  /** Immediate dominator of each step; -1 for the entry and for steps never entered. */
  readonly dominator: number[];
}

export function proveGraph(graph: Graph): GraphProof {
  const leaving = edgesByStep(graph);
  const dominance = findDominance(graph, leaving);
  const { dominator, milestones } = dominance;
  const reachable = (step: number) => step === graph.entry || dominator[step] !== -1;
  const findings = { graph, leaving, components: stronglyConnected(leaving), reachable };
  const problems = [
    ...proveEnds(findings),
    ...proveEntered(findings),
    ...proveRequired(findings, dominance),
    ...proveAutoStops(graph, leaving),
  ].sort((a, b) => a.check - b.check);
  return { problems, milestones, dominator };
}
