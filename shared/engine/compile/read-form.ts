// Which of the two forms a definition is in, and whether it has that form's shape.
import { Fault } from '../../faults.ts';
import { Identifier, StepListDefinition } from '../model/definition.ts';
import { FsmDefinition } from '../model/fsm.ts';
import { type Json, plainJson } from '../model/json.ts';
import type { ProofProblem } from '../prove/problem.ts';
import { stepsFromFsm } from './from-fsm.ts';
import { shapeIssues } from './shape-issues.ts';
import { ourSpelling } from './spellings.ts';

/** Shape problems carry check 0: they stand before the eleven. */
const SHAPE = 0;
const MAX_DEFINITION_CHARACTERS = 8_000_000;

export type Form =
  | {
      readonly id: string;
      readonly fsm: boolean;
      readonly definition: StepListDefinition;
      readonly source: Json;
      readonly found: ProofProblem[];
    }
  | { readonly problems: readonly ProofProblem[] };

export function readForm(input: unknown, name?: string): Form {
  const shape = (
    message: string,
    fix: string,
    step: string | null = null,
    workflow = name ?? 'definition',
  ): ProofProblem => ({ check: SHAPE, workflow, step, message, fix });
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return {
      problems: [
        shape(
          'A definition is an object.',
          'Start it with "id:" and "steps:" (or "states:" and "transitions:").',
        ),
      ],
    };
  }
  try {
    plainJson(input, 'definition', MAX_DEFINITION_CHARACTERS);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { problems: [shape(error.message, 'Remove it.')] };
  }
  // A copy, so that what compiles cannot change afterwards and freezing it touches nothing of the caller's.
  const copy = JSON.parse(JSON.stringify(input)) as Record<string, unknown>; // an object, checked above
  const spelled = ourSpelling(copy);
  if ('states' in spelled && 'steps' in spelled) {
    return {
      problems: [shape('A definition has either "steps" or "states", not both.', 'Keep one of the two.')],
    };
  }
  const fsm = 'states' in spelled;
  const parsed = (fsm ? FsmDefinition : StepListDefinition).safeParse(spelled);
  const id = typeof spelled.id === 'string' ? spelled.id : (name ?? '');
  if (!parsed.success) {
    return {
      problems: shapeIssues(parsed.error.issues).map((issue) => {
        const [list, position] = issue.path;
        const steps = spelled[String(list)];
        const step: unknown =
          (list === 'steps' || list === 'states') && Array.isArray(steps)
            ? steps[Number(position)]
            : undefined;
        const stepId = typeof step === 'object' && step !== null && 'id' in step ? String(step.id) : null;
        const path = issue.path.map(String).join('.');
        return shape(
          `${path || 'The definition'}: ${issue.message}.`,
          'Correct that key.',
          stepId,
          id || name,
        );
      }),
    };
  }
  if (id === '')
    return {
      problems: [
        shape('The definition has no "id".', 'Add "id: my-workflow"; a file\'s name stands in for it.'),
      ],
    };
  if (!Identifier.safeParse(id).success)
    return {
      problems: [
        shape(`The file's name "${id.slice(0, 100)}" cannot be the workflow's id.`, 'Add "id: my-workflow".'),
      ],
    };
  const found: ProofProblem[] = [];
  const definition = fsm
    ? stepsFromFsm(parsed.data as FsmDefinition, id, found)
    : (parsed.data as StepListDefinition); // as chosen above
  if (definition.document !== undefined) {
    const message = `The phases of "${definition.document.slice(0, 100)}" are not in the definition.`;
    return {
      problems: [shape(message, 'Load the file with the reader, which puts them in as steps.', null, id)],
    };
  }
  if (definition.steps === undefined)
    return { problems: [shape('The definition has no steps.', 'Add "steps".', null, id)] };
  return { id, fsm, definition, source: { ...spelled, id } as Json, found }; // plain JSON, checked above
}
