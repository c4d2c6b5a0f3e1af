// Forms for the person who uses a client: the questions a step asks, or the approval it waits for. The call ends with
// what is needed, and the client sends it again with what the person said: nobody polls.
//   MC3  A form is for one turn: what is said to an older one is refused, not taken for an answer to a newer.
import {
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type InputResponseView,
} from '@modelcontextprotocol/server';
import { currentStep, recordOf, type State, type Workflow } from '../../shared/engine/index.ts';
import type { Asking } from './tool.ts';

type Property =
  | { type: 'string'; title: string; description?: string; enum?: string[] }
  | { type: 'boolean'; title: string };
export type FormName = 'answers' | 'approval';

export interface FilledIn {
  readonly turn: number;
  readonly said: Exclude<InputResponseView, { kind: 'missing' }>;
}

/** What came back from a form of this name, if this is the call after one. */
export function filledIn(name: FormName, { responses }: Asking): FilledIn | null {
  for (const key of Object.keys(responses ?? {})) {
    const [, turn] = new RegExp(`^${name}-(\\d{1,9})$`).exec(key) ?? [];
    const said = inputResponse(responses, key);
    if (turn !== undefined && said.kind !== 'missing') return { turn: Number(turn), said };
  }
  return null;
}

export function askQuestions(workflow: Workflow, state: State): InputRequiredResult | null {
  if (state.status !== 'waiting_input' || state.input.questions.length === 0) return null;
  const step = currentStep(workflow, state);
  const fields = state.input.questions.map(({ id, question, header, options }): [string, Property] => [
    id,
    {
      type: 'string',
      title: header ?? question,
      description: question,
      enum: options.map((option) => (typeof option === 'string' ? option : option.label)),
    },
  ]);
  return form(
    'answers',
    turnOf(workflow, state),
    `"${step.title}" asks:`,
    fields,
    fields.map(([id]) => id),
  );
}

export function askApproval(workflow: Workflow, state: State): InputRequiredResult | null {
  const { approval, title } = currentStep(workflow, state);
  if (state.status !== 'waiting_approval' || approval === null) return null;
  const fields: [string, Property][] = [
    ['approved', { type: 'boolean', title: 'Approve' }],
    [
      'feedback',
      { type: 'string', title: 'Feedback', description: 'What to change, if you do not approve.' },
    ],
  ];
  const choose = approval.type === 'select_variant';
  const variants = approval.variants.length > 0 ? { enum: [...approval.variants] } : {};
  if (choose) fields.push(['selected_variant', { type: 'string', title: 'Variant', ...variants }]);
  const message = `${approval.prompt || `Do you approve "${title}"?`}\n\n${workOf(workflow, state)}`;
  return form('approval', turnOf(workflow, state), message, fields, ['approved']);
}

/** What there is to approve, in a form that fits a dialogue. */
function workOf(workflow: Workflow, state: State): string {
  const { artifacts = {}, evidence = {} } = recordOf(state, currentStep(workflow, state)) ?? {};
  return JSON.stringify({ ...evidence, ...artifacts }, null, 2).slice(0, 4_000);
}

const turnOf = (workflow: Workflow, state: State): number =>
  recordOf(state, currentStep(workflow, state))?.turn ?? state.turn;

function form(
  name: FormName,
  turn: number,
  message: string,
  fields: readonly (readonly [string, Property])[],
  required: readonly string[],
): InputRequiredResult {
  const requestedSchema = {
    type: 'object' as const,
    properties: Object.fromEntries(fields),
    required: [...required],
  };
  return inputRequired({
    inputRequests: { [`${name}-${turn}`]: inputRequired.elicit({ message, requestedSchema }) },
  });
}
