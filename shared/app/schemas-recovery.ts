// What recovery, proof and publishing take and answer.
import * as z from 'zod';
import { JsonRecord, strict } from '../engine/index.ts';
import { Answer } from './schemas-answers.ts';
import { InstanceId, whole } from './schemas.ts';

const Instant = z.iso.datetime();
const Version = z.string().min(1).max(200);

export const ForkRequest = strict({
  at: z.int().positive().optional().describe('The commit to go on from; the latest if left out.'),
  instance_id: InstanceId.optional(),
});
export type ForkRequest = z.infer<typeof ForkRequest>;

export const MigrateRequest = strict({
  version: Version.optional().describe('The current version if left out; another one is for admins.'),
  dry_run: z.boolean().optional().describe('Only say whether it fits, and if not, why. Nothing is written.'),
  expected_version: z.int().optional(),
});
export type MigrateRequest = z.infer<typeof MigrateRequest>;

/** Read by the compiler, which reports every problem; this only says what it looks like. */
export const DefinitionRequest = z
  .looseObject({
    id: z.string().optional().describe('As in the path, or left out.'),
    version: z.union([z.string(), z.number()]).optional().describe('A label of yours.'),
    steps: z.array(JsonRecord).optional(),
    states: z.array(JsonRecord).optional(),
    transitions: z.array(JsonRecord).optional(),
  })
  .describe('A workflow definition: a list of steps, or states and transitions.');

const MOST = 1_000;
export const ReplayQuery = strict({
  after: whole(0, Number.MAX_SAFE_INTEGER, 'must be the number of a commit, or 0')
    .default(0)
    .describe('The `next` of the page before.'),
  limit: whole(1, MOST, `must be a whole number from 1 to ${MOST}`)
    .default(500)
    .describe(`How many commits at most, 1 to ${MOST}.`),
});

const Place = z.object({ instance_id: z.string(), seq: z.int().positive() });
export const Forked = Answer.extend({ forked_from: Place });

export const Fit = z.object({
  instance_id: z.string(),
  workflow_id: z.string(),
  from_version: z.string(),
  to_version: z.string(),
  fits: z.boolean(),
  problems: z.array(
    z.object({
      step: z.string().nullable().describe('Null if it is about the whole instance.'),
      reason: z.string(),
      fix: z.string(),
    }),
  ),
});

export const Proof = z.object({
  instance_id: z.string(),
  ok: z.boolean(),
  commits: z.int().nonnegative().describe('How many commits of this page were proven.'),
  last: z.int().nonnegative().describe('The last of them.'),
  hash: z.string().nullable().describe('Its hash: note it to tell later that the log is still the same.'),
  first_problem: z
    .object({
      seq: z.int().positive(),
      what: z.enum(['missing', 'text', 'place', 'chain', 'key', 'state', 'source']),
      detail: z.string(),
    })
    .nullable(),
  next: z.string().nullable().describe('The `after` of the next page; null at the end.'),
});

export const WorkflowMetrics = z.object({
  workflow_metrics: z.object({
    workflow_id: z.string().describe('The id of the instance.'),
    total_time_seconds: z.int().nonnegative(),
    step_times: z.array(z.object({ step: z.int().positive(), duration_seconds: z.int().nonnegative() })),
    retry_count: z.int().nonnegative(),
    human_approval_time_seconds: z.int().nonnegative(),
    agent_calls: z.int().nonnegative(),
    parallel_executions: z.int().nonnegative(),
  }),
});

const version = {
  version: z.string().describe('The hash of its content.'),
  label: z.string().nullable().describe('The `version` that the definition itself says.'),
  title: z.string(),
  steps: z.int().positive(),
  published_at: Instant.nullable().describe('Null for one that ships with the code.'),
  published_by: z.string().nullable(),
};
export const Publication = z.object({
  workflow_id: z.string(),
  ...version,
  change: z.enum(['created', 'restored', 'unchanged']),
  replayed: z.literal(true).optional(),
});
export const DefinitionVersions = z.object({
  workflow_id: z.string(),
  items: z.array(z.object({ ...version, current: z.boolean() })).describe('The latest published first.'),
  next: z.null(),
});
