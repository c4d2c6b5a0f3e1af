// Collects what is wrong with one definition. Every problem names the workflow, the step and the way to mend it.
import type { ProofProblem } from '../prove/problem.ts';

export class Problems {
  readonly list: ProofProblem[] = [];
  readonly workflow: string;

  constructor(workflow: string) {
    this.workflow = workflow;
  }

  add(check: number, step: string | null, message: string, fix: string): void {
    this.list.push({ check, workflow: this.workflow, step, message, fix });
  }
}
