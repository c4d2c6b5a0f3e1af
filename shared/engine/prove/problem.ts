// What a failed check says: which step, what is wrong with it, and which key to change. Also the words
// shared by all checks: names in quotes, paths with arrows, and the cap on how much is said at once.
//
//   P1  A check reports at most LIMIT problems; the last one then says how many more there are.
import type { Graph, GraphEdge } from './graph.ts';

export interface ProofProblem {
  /** 1 to 11: the number of the check. */
  readonly check: number;
  readonly workflow: string;
  readonly step: string | null;
  readonly message: string;
  readonly fix: string;
  readonly path?: readonly string[];
}

const LIMIT = 20;
const NAMES = 10;
const SHOWN = 12;

/** Describes the first of what was found (P1). `describe` may be costly: it runs for what is reported only. */
export function report<T>(
  { workflow, check, key }: { workflow: string; check: number; key: string },
  found: readonly T[],
  describe: (item: T) => Omit<ProofProblem, 'check' | 'workflow'>,
): ProofProblem[] {
  const told = found.length > LIMIT ? found.slice(0, LIMIT - 1) : found;
  const problems = told.map((item): ProofProblem => ({ check, workflow, ...describe(item) }));
  if (told.length === found.length) return problems;
  const message = `${found.length - told.length} more problems of this kind are not listed.`;
  const fix = `Mend ${key} of the steps above first, then load the definition again to see what is left.`;
  return [...problems, { check, workflow, step: null, message, fix }];
}

export function quoteAll(ids: readonly string[]): string {
  const quoted = ids.slice(0, NAMES).map((id) => `"${id}"`);
  if (ids.length > NAMES) return `${quoted.join(', ')} and ${ids.length - NAMES} more`;
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)}` : quoted.join('');
}

/** The ids along a way, and the same as text: `a → b —fail→ c → end`, a long one without its middle. */
export function tell(graph: Graph, way: readonly GraphEdge[]): { path: string[]; text: string } {
  const target = ({ to }: GraphEdge) => (to === null ? 'end' : graph.steps[to]!.id);
  const start = way.slice(0, 1).map(({ from }) => graph.steps[from]!.id);
  const hops = way.map((edge) => `${['ok', ''].includes(edge.on) ? '→' : `—${edge.on}→`} ${target(edge)}`);
  const left = hops.length - SHOWN;
  if (left > 0) hops.splice(SHOWN / 2, left, `→ … (${left} more) …`);
  return { path: [...start, ...way.map(target)], text: [...start, ...hops].join(' ') };
}
