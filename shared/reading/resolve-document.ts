// A Markdown document's phases as steps, with what the definition says beside them laid over.
//   D1  Each phase is one step, `phase_N`, in the order of the document; nothing is added and nothing left out.
//   D2  What lies over a phase names it, by `id: phase_N` or `number: N`.
import type { ProofProblem } from '../engine/prove/problem.ts';
import { type Phase, readPhases } from './markdown/read-phases.ts';
import { asProof } from './text-problem.ts';

type Fields = Record<string, unknown>;

export interface Resolved {
  readonly title?: string;
  readonly steps: Fields[];
  readonly problems: readonly ProofProblem[];
}

/** `over`: the definition's own `steps`; its entries may use the seeds' spellings of `number`. */
export function resolveDocument(markdown: string, file: string, workflow: string, over: unknown): Resolved {
  const { phases, title, problems: wrong } = readPhases(markdown);
  const problems = wrong.map(({ heading, line, message, fix }): ProofProblem => {
    const said = heading === undefined || message.includes(heading) ? message : `in "${heading}", ${message}`;
    const phase = phases.findLast((candidate) => candidate.line <= line);
    const problem = asProof({ line, message: said, fix }, workflow, file);
    return { ...problem, step: phase === undefined ? null : idOf(phase) };
  });
  const overrides = new Map<number, Fields>();
  for (const [position, entry] of asList(over).entries()) {
    const target = phaseOf(entry, phases);
    const say = (message: string, fix: string, step: string | null = null) =>
      problems.push({
        ...asProof({ message: `entry ${position + 1} of "steps" ${message}`, fix }, workflow),
        step,
      });
    if (target === undefined)
      say(
        `names no phase of "${file}"`,
        `Name the phase by "id: ${phases[0] ? idOf(phases[0]) : 'phase_1'}" or "number: 1"; the document has ${phases.length}.`,
      );
    else if (overrides.has(target))
      say(`names phase ${target}, which an earlier one names too`, 'Keep one of the two.', `phase_${target}`);
    else overrides.set(target, entry as Fields); // an object, or phaseOf had not found it
  }
  const steps = phases.map((phase) => lay(overrides.get(phase.number), phase));
  return { steps, problems, ...(title === undefined ? {} : { title }) };
}

const idOf = ({ number }: Phase): string => `phase_${number}`;
const asList = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The number of the phase an entry names; undefined if it names none, or two. */
function phaseOf(entry: unknown, phases: readonly Phase[]): number | undefined {
  if (!isObject(entry)) return undefined;
  const number = entry.number ?? entry.phase ?? entry.step;
  const byId = phases.find((phase) => idOf(phase) === entry.id)?.number;
  const byNumber = phases.find((phase) => phase.number === number)?.number;
  if (number === undefined) return byId;
  return byId === undefined || byId === byNumber ? byNumber : undefined;
}

/** Evidence is laid over field by field; every other key takes the place of the phase's. */
function lay(over: Fields | undefined, phase: Phase): Fields {
  const { number, title, intro, content, evidence } = phase;
  const { phase: _, step: __, name, ...fields } = over ?? {};
  return {
    id: idOf(phase),
    title: name ?? title,
    ...(intro === undefined ? {} : { description: intro }),
    content,
    ...fields,
    number,
    evidence: isObject(fields.evidence) ? { ...evidence, ...fields.evidence } : (fields.evidence ?? evidence),
  };
}
