// What there is: instances, and the tasks that wait for a role.
import * as z from 'zod';
import type { App } from '../../../shared/app/app.ts';
import { listInstances } from '../../../shared/app/list-instances.ts';
import { pendingTasks } from '../../../shared/app/pending-tasks.ts';
import { Status, TaskPage } from '../../../shared/app/schemas-answers.ts';
import { findStep, STATUSES, strict } from '../../../shared/engine/index.ts';
import type { Head } from '../../../shared/ports.ts';
import { defineTool } from '../tool.ts';
import { Short } from './arguments.ts';

const page = {
  limit: z.int().min(1).max(100).optional().describe('How many at most; 20 if left out.'),
  next: z.string().min(1).max(4_000).optional().describe('The `next` of the page before, as it was given.'),
};
const next = z.string().nullable().describe('Leads to the next page; null on the last one.');

export const listWorkflows = defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description:
    'The instances you may see, newest first, by status, definition or session. What has changed in the last moment may still be missing.',
  kind: 'reads',
  input: strict({
    status: z.enum(STATUSES).optional().describe('Only those with this status.'),
    workflow_type: Short.optional().describe('The definition: generation, planning, delivery …'),
    session_name: Short.optional().describe('Only those of this session.'),
    ...page,
  }),
  output: z.object({
    workflows: z.array(
      z.object({
        workflow_id: z.string().describe('The instance.'),
        workflow_type: z.string().describe('The definition.'),
        status: Status,
        current_step: z.int(),
        progress_percentage: z.int(),
        session_name: z.string().nullable(),
        subject: z.string().nullable(),
        created_at: z.iso.datetime(),
        updated_at: z.iso.datetime(),
      }),
    ),
    total: z.int().describe('How many are on this page.'),
    next,
  }),
  run: async ({ workflow_type, ...filter }, { app, caller }) => {
    const { items, next: more } = await listInstances(app, caller, { ...filter, workflow_id: workflow_type });
    const workflows = await Promise.all(items.map((head) => listed(app, head)));
    return { workflows, total: workflows.length, next: more };
  },
});

async function listed(app: App, head: Head) {
  const { instance_id, workflow_id, status, percent, session_name, subject, created_at, updated_at } = head;
  const workflow = await app.definitions.version(workflow_id, head.definition_version);
  return {
    workflow_id: instance_id,
    workflow_type: workflow_id,
    status,
    current_step: (workflow && findStep(workflow, head.current_step)?.number) ?? 0,
    progress_percentage: percent,
    session_name,
    subject,
    created_at,
    updated_at,
  };
}

export const getPendingTasks = defineTool({
  name: 'get_pending_tasks',
  title: 'Pending tasks',
  description:
    'The tasks that wait for your roles, longest waiting first, each with its context and what is to be done. Claim one with claim_task before you begin.',
  kind: 'reads',
  input: strict({ role: Short.optional().describe('One of your roles; all of them if left out.'), ...page }),
  output: TaskPage,
  run: (filter, { app, caller }) => pendingTasks(app, caller, filter),
});
