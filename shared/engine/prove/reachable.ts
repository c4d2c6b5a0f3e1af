// Checks 3, 4 and 6: there is an end, every step can be entered, and from every step an end can be reached.
//
//   R1  One cause, one problem: without any end (3) no step is also called a trap (6); and of the steps that
//       cannot end, only the groups nothing leads out of are named, for the others follow from them.
//   R2  Of the steps never entered, those at which an unreachable group begins come first.
import type { Components } from './components.ts';
import type { Graph, Leaving } from './graph.ts';
import { type ProofProblem, quoteAll, report } from './problem.ts';

/** The graph and what was worked out about it once, for all checks. */
export interface Findings {
  readonly graph: Graph;
  readonly leaving: Leaving;
  readonly components: Components;
  readonly reachable: (step: number) => boolean;
}

export function proveEnds(findings: Findings): ProofProblem[] {
  const { graph, leaving, components, reachable } = findings;
  const { workflow } = graph;
  const ends = (step: number) =>
    graph.steps[step]!.final !== null || leaving[step]!.some(({ to }) => to === null);
  if (!graph.steps.some((_, step) => ends(step))) {
    const message = `Workflow "${workflow}" can never end: no transition goes to the end and no step is final.`;
    const fix = 'Set `next: null` (or a transition with `to: end`) on its last step, or mark a step `final`.';
    return [{ check: 3, workflow, step: null, message, fix }];
  }
  const closed = (members: readonly number[], group: number) =>
    reachable(members[0]!) &&
    members.every((v) => !ends(v) && leaving[v]!.every(({ to }) => components.group[to!] === group));
  const traps = components.groups.filter(closed).sort((a, b) => a[0]! - b[0]!);
  return report({ workflow, check: 6, key: '`next` or `transitions`' }, traps, (members) => {
    const ids = members.map((v) => graph.steps[v]!.id);
    const loops = leaving[members[0]!]!.length > 0;
    const trap =
      ids.length > 1
        ? `Steps ${quoteAll(ids)} lead only to one another`
        : `Step "${ids[0]}" ${loops ? 'leads only to itself' : 'has no way out'}`;
    return {
      step: ids[0]!,
      message: `${trap}: once there, the workflow can never reach an end.`,
      fix: `Give "${ids[0]}" a transition whose \`to\` leads on to an end, or mark it \`final\` (\`terminal\` in the FSM form).`,
    };
  });
}

export function proveEntered({ graph, components, reachable }: Findings): ProofProblem[] {
  const { steps, workflow } = graph;
  const feeder = new Map<number, number>();
  const fedFromOutside = new Set<number>();
  for (const { from, to } of graph.edges) {
    if (to === null || to === from) continue;
    const known = feeder.get(to);
    const follows = steps[from]!.final === null;
    if (known === undefined || (follows && steps[known]!.final !== null)) feeder.set(to, from);
    if (follows && components.group[from] !== components.group[to]) fedFromOutside.add(components.group[to]!);
  }
  const lost = [...steps.keys()].filter((step) => !reachable(step));
  const isRoot = (step: number) => {
    const group = components.group[step]!;
    return !fedFromOutside.has(group) && components.groups[group]![0] === step;
  };
  const ordered = [...lost.filter(isRoot), ...lost.filter((step) => !isRoot(step))];
  return report({ workflow, check: 4, key: '`next` or `to`' }, ordered, (step) => {
    const { id } = steps[step]!;
    const from = feeder.has(step) ? steps[feeder.get(step)!]! : null;
    let why = 'no other step leads to it';
    if (from?.final) why = `only the final step "${from.id}" points at it, and a final step is never left`;
    else if (from) why = `only steps that are never entered themselves lead to it, such as "${from.id}"`;
    const root = isRoot(step) ? id : from?.id;
    const fix = `Point the \`next\` or a transition's \`to\` of an earlier step at "${root}", or remove "${id}".`;
    return { step: id, message: `Step "${id}" can never be entered: ${why}.`, fix };
  });
}
