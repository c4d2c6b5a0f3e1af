// stepgate tasks: what waits for a role.
import type { Client } from '../../client/create-client.ts';
import type { PendingTasks } from '../../client/shapes.ts';
import { type Command, EXIT } from '../command.ts';
import { ask, SERVER_FLAGS } from '../server.ts';
import { table } from '../table.ts';
import { wholeOf } from '../values.ts';

type Task = PendingTasks['tasks'][number];

const SHOWN = 12;

export const tasks: Command = {
  usage: 'tasks [--role R] [--limit N] [--json]',
  summary: 'Show what waits for a role or an agent, longest waiting first.',
  details:
    'Without --role: what waits for any of your roles. What another has claimed is not shown while its lease runs.\n' +
    'Take one with "stepgate signal ID ACTION".',
  files: 'none',
  flags: {
    role: { type: 'string', value: 'R', description: "A role, or an agent's name." },
    limit: { type: 'string', description: 'At most so many (50).' },
    json: { type: 'boolean', description: 'Print {tasks: […], next} as the API has it.' },
    ...SERVER_FLAGS,
  },
  run: async (call) => {
    const { flags, streams } = call;
    const role = flags['role'] === undefined ? undefined : String(flags['role']);
    const limit = wholeOf('limit', flags['limit']) ?? 50;
    const told = await ask(call, async (client) => {
      const page = await client.tasks({ ...(role === undefined ? {} : { role }), limit });
      if (flags['json']) return JSON.stringify(page, null, 2);
      return page.tasks.length > 0 ? describe(page) : `Nothing waits${await whom(client, role)}.`;
    });
    streams.out(told);
    return EXIT.ok;
  },
};

function describe({ tasks: all, next }: PendingTasks): string {
  const heads = ['role', 'instance', 'step', 'action', 'turn', 'since', ''];
  const more = next === null ? [] : ['', 'There are more: raise --limit.'];
  return [table(heads, all.map(rowOf)), ...more].join('\n');
}

export function rowOf(task: Task): string[] {
  const { role, instance_id, current_state, required_action, turn, assigned_at, feedback } = task;
  const notes = [
    ...(task.claimed_by_you ? ['claimed by you'] : []),
    ...(feedback === undefined ? [] : [`feedback: ${feedback.split('\n')[0] ?? ''}`]),
    ...(task.retry_count === undefined ? [] : [`retry ${task.retry_count}`]),
  ];
  const since = assigned_at.slice(0, 19).replace('T', ' ');
  return [role, instance_id, current_state, required_action ?? '', String(turn), since, notes.join(', ')];
}

async function whom(client: Client, role: string | undefined): Promise<string> {
  if (role !== undefined) return ` for ${role}`;
  const { items } = await client.definitions();
  const roles = [...new Set(items.flatMap((definition) => definition.roles))].toSorted();
  const some = roles.length > SHOWN ? [...roles.slice(0, SHOWN), '…'] : roles;
  return ` for your roles. Name one with --role: ${some.join(', ')}, or an agent`;
}
