// The body of an `agent.work.completed` or `workflow.validation.requested` message, as agents already send it.
// Feedback and artifacts may stand at the top or inside `result`; absent and null mean the same.
import * as z from 'zod';
import { JsonRecord, type JsonObject } from '../engine/index.ts';
import { parseBody } from './schemas.ts';

const Short = z.string().min(1).max(200);
const Prose = z.string().max(20_000);

/** What an agent adds to its result beyond this is its own business. */
const Result = z.looseObject({
  success: z.boolean().nullish(),
  artifacts: JsonRecord.nullish(),
  feedback: Prose.nullish(),
  reasoning: Prose.nullish(),
  error: z.unknown().optional().describe('Why it did not succeed: a text, or an object with a `message`.'),
});

/** Agents send more than we read, at the top as well as inside `result`. */
export const AgentWorkRequest = z
  .looseObject({
    task_id: Short,
    agent_id: Short.nullish(),
    role: Short.nullish(),
    action_performed: Short.nullish(),
    action: Short.nullish(),
    result: Result.nullish(),
    artifacts: JsonRecord.nullish(),
    feedback: Prose.nullish(),
    error: z.unknown().optional().describe('As in `result`.'),
    turn: z.int().nonnegative().nullish(),
    timestamp: z.string().max(100).nullish(),
  })
  .superRefine(({ action, action_performed }, context) => {
    const given = [action, action_performed].filter((name) => name !== undefined && name !== null);
    const refuse = (message: string) =>
      context.addIssue({ code: 'custom', path: ['action_performed'], message });
    if (given.length === 0) refuse('is needed: say what was done, such as COMMIT_CODE');
    if (new Set(given).size > 1) refuse(`says ${action_performed}, but "action" says ${action}; send one`);
  });
export type AgentWorkRequest = z.infer<typeof AgentWorkRequest>;

/** The same, wherever its parts stood. */
export interface AgentWork {
  readonly task_id: string;
  readonly action: string;
  /** False only if the agent said so: the work did not succeed. */
  readonly success: boolean;
  readonly artifacts: JsonObject;
  readonly role?: string;
  readonly agent_id?: string;
  readonly feedback?: string;
  readonly reasoning?: string;
  readonly error?: string;
  readonly turn?: number;
}

export function readAgentWork(body: unknown): AgentWork {
  const { task_id, agent_id, role, action_performed, action, result, artifacts, feedback, turn, ...more } =
    parseBody(AgentWorkRequest, body, 'agent-work body');
  const error = textOf(more.error) ?? textOf(result?.error);
  const said = feedback ?? result?.feedback;
  return {
    task_id,
    action: action_performed ?? action ?? '',
    success: result?.success !== false,
    artifacts: { ...result?.artifacts, ...artifacts },
    ...(role ? { role } : {}),
    ...(agent_id ? { agent_id } : {}),
    ...(said ? { feedback: said } : {}),
    ...(result?.reasoning ? { reasoning: result.reasoning } : {}),
    ...(error ? { error } : {}),
    ...(turn === undefined || turn === null ? {} : { turn }),
  };
}

/** Errors come as texts, or as objects that hold one. */
function textOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error.trim() || undefined;
  return typeof error === 'object' && error !== null && 'message' in error
    ? textOf(error.message)
    : undefined;
}
