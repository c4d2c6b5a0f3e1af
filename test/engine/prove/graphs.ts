// Small graphs in one line a step, for the tests of the proofs:
//   graphOf({ a: 'ok:b fail:c', 'b?': 'auto:end', c: 'success' })
// The first step is the entry; `name?` is not required; `success` and `failure` make a step final;
// `fail` and what starts with REJECT leaves a step without completing it; `auto:x` is an automatic edge.
import type { Graph, GraphEdge, GraphStep } from '../../../shared/engine/prove/graph.ts';
import type { ProofProblem } from '../../../shared/engine/prove/problem.ts';

export function graphOf(spec: Readonly<Record<string, string>>): Graph {
  const names = Object.keys(spec).map((name) => name.replace('?', ''));
  const steps: GraphStep[] = [];
  const edges: GraphEdge[] = [];
  for (const [name, text] of Object.entries(spec)) {
    const words = text.split(' ').filter((word) => word !== '');
    const final = words.find((word) => word === 'success' || word === 'failure') ?? null;
    for (const word of words.filter((each) => each.includes(':'))) {
      const [on = '', target = ''] = word.split(':');
      if (target !== 'end' && !names.includes(target)) throw new Error(`no step "${target}"`);
      const completes = on !== 'fail' && !on.startsWith('REJECT');
      const to = target === 'end' ? null : names.indexOf(target);
      edges.push({ from: steps.length, to, on, completes, auto: on === 'auto' });
    }
    steps.push({ id: name.replace('?', ''), required: !name.endsWith('?'), final });
  }
  return { workflow: 'w', entry: 0, steps, edges };
}

export const ids = (graph: Graph, indices: readonly number[]) =>
  indices.map((index) => graph.steps[index]?.id);

export const verdicts = (problems: readonly ProofProblem[]) =>
  problems.map(({ check, step }) => `${check} ${step ?? '-'}`);
