// Collects what is wrong with one definition. Every problem names the workflow, the step and the way to mend it.
//   P1  Of each check the first LIMIT problems are told, then how many more there are; the rest cost nothing.
import type { ProofProblem } from '../prove/problem.ts';

const LIMIT = 20;

export class Problems {
  readonly workflow: string;
  readonly #told: ProofProblem[] = [];
  readonly #counts = new Map<number, number>();

  constructor(workflow: string) {
    this.workflow = workflow;
  }

  /** The message may be costly (it searches for what was meant): it is made only if it will be told. */
  add(check: number, step: string | null, message: string | (() => string), fix: string): void {
    if (this.#count(check) > LIMIT) return;
    const text = typeof message === 'string' ? message : message();
    this.#told.push({ check, workflow: this.workflow, step, message: text, fix });
  }

  take(found: readonly ProofProblem[]): void {
    for (const problem of found) if (this.#count(problem.check) <= LIMIT) this.#told.push(problem);
  }

  /** Is there a problem of this check or of one before it? */
  upTo(check: number): boolean {
    return this.#told.some((problem) => problem.check <= check);
  }

  /** In the order of the checks. */
  all(): ProofProblem[] {
    const rest = [...this.#counts].flatMap(([check, count]): ProofProblem[] => {
      if (count <= LIMIT) return [];
      const message = `${count - LIMIT} more problems of this kind are not listed.`;
      const fix = 'Mend those above first, then load the definition again to see what is left.';
      return [{ check, workflow: this.workflow, step: null, message, fix }];
    });
    return [...this.#told, ...rest].sort((a, b) => a.check - b.check);
  }

  #count(check: number): number {
    const count = (this.#counts.get(check) ?? 0) + 1;
    this.#counts.set(check, count);
    return count;
  }
}
