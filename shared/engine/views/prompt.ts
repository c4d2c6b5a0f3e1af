// The agent's context as text, ready to be put into a system prompt.
import type { JsonObject } from '../model/json.ts';
import type { AgentContext } from './agent-context.ts';

type Given = AgentContext['approvals'][number];

export function agentPrompt(context: AgentContext): string {
  const sections = [
    section('Your Role in Workflow', roleLines(context)),
    section('Parameters', valueLines(context.params)),
    section('Instructions', context.instructions ? [context.instructions.trim()] : []),
    section('Actions', numbered(context.actions)),
    section('Coordination Protocol', numbered(context.coordination_protocol)),
    section(
      'Still Missing',
      context.missing_criteria.map(({ reason }) => `- ${reason}`),
    ),
    section('Artifacts', valueLines(context.artifacts)),
    section('Saved in This Step', valueLines(context.step_context)),
    section('Shared', valueLines(withoutDeferred(context.shared))),
    section('Previous Feedback', [context.previous_feedback ?? noFeedback(context)]),
    section('Approved', context.approvals.map(approvalLine)),
    section('Attempt', attemptLines(context)),
    section(
      'Answers',
      context.answers.map(({ question, answer }) => `- ${question} ${answer}`),
    ),
    section(
      'Conversation',
      context.messages.map(({ from, text }) => `- ${from === 'user' ? 'The person' : 'You'}: ${text}`),
    ),
    section(
      'Deferred',
      context.deferred.map(({ text, from_step }) => `- ${text} (said during "${from_step}")`),
    ),
  ];
  return `WORKFLOW CONTEXT\n\n${sections.filter(Boolean).join('\n\n')}\n`;
}

function roleLines(context: AgentContext): string[] {
  const { role, next_validator, status, current_step, current_step_name, required_action, turn } = context;
  const name = current_step_name === current_step ? '' : ` (${current_step_name})`;
  return [
    ...(role === null ? [] : [`- You act as: ${role}`]),
    ...(next_validator === null ? [] : [`- Your work goes next to: ${next_validator}`]),
    `- Current State: ${current_step}${name}, ${status}`,
    `- Required Action: ${required_action ?? 'none'}`,
    `- Turn: ${turn}`,
  ];
}

/** What was wrong with earlier attempts stands with the attempt. */
const noFeedback = ({ failures = [] }: AgentContext): string =>
  failures.length === 0
    ? 'None: this is the first time.'
    : 'None but what ended the earlier attempts, below.';

function attemptLines(context: AgentContext): string[] {
  if (context.attempt === undefined) return [];
  const { attempt, max_attempts, emphasis, failures = [] } = context;
  return [
    `This is attempt ${attempt} of ${max_attempts}.`,
    ...(emphasis ? [emphasis] : []),
    ...failures.map((failure) => `- Attempt ${failure.attempt} ${words(failure.result)}: ${failure.reason}`),
  ];
}

/** So much of one value: the whole of it can be read elsewhere. */
const LONGEST_VALUE = 2_000;

/** As JSON, on one line: text that others wrote cannot pass for a section of ours. */
const valueLines = (values: JsonObject): string[] =>
  Object.entries(values).map(([name, value]) => {
    const text = JSON.stringify(value);
    const cut = `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters in all)`;
    return `- ${name}: ${text.length > LONGEST_VALUE ? cut : text}`;
  });

/** What waits for a later step is not this one's to see to. */
const withoutDeferred = (shared: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(shared).filter(([name]) => name !== 'deferred'));

function approvalLine({ step, by, selected_variant, modifications, feedback }: Given): string {
  return [
    `- ${step}, by ${by}`,
    ...(selected_variant === undefined ? [] : [`variant ${selected_variant}`]),
    ...(modifications === undefined ? [] : [`modifications: ${JSON.stringify(modifications)}`]),
    ...(feedback === undefined ? [] : [`they said: ${feedback}`]),
  ].join('; ');
}

const words = (result: string): string => result.replaceAll('_', ' ');
const numbered = (lines: readonly string[]): string[] => lines.map((line, i) => `${i + 1}. ${line}`);
const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}`;
