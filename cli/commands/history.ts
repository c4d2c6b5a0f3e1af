// stepgate history: the audit trail of an instance, who said what and what came of it.
import type { Client } from '../../client/create-client.ts';
import type { HistoryItem } from '../../client/shapes.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { ask, SERVER_FLAGS } from '../server.ts';
import { table } from '../table.ts';

const PAGE = 100;

export const history: Command = {
  usage: 'history ID [--after N] [--events] [--json]',
  summary: 'Show the audit trail of an instance.',
  details:
    'Every commit, refused ones included: who said what, what came of it, and where the instance stood then.',
  files: 'one',
  noun: 'instance id',
  flags: {
    after: { type: 'string', description: 'Only commits after this one.' },
    events: { type: 'boolean', description: 'Show what the world was told of each.' },
    json: { type: 'boolean', description: 'Print {instance_id, items: [commit, …]} as the API has it.' },
    ...SERVER_FLAGS,
  },
  run: async (call) => {
    const instance_id = call.files[0] ?? '';
    const after = countOf(call.flags['after'] ?? '0');
    const items = await ask(call, (client) => readAll(client, instance_id, after));
    const { out } = call.streams;
    if (call.flags['json']) out(JSON.stringify({ instance_id, items }, null, 2));
    else out(describe(instance_id, items, call.flags['events'] === true));
    return EXIT.ok;
  },
};

function countOf(text: string | boolean): number {
  if (/^\d{1,15}$/.test(String(text))) return Number(text);
  throw new UsageError(`--after is the number of a commit, not "${String(text)}".`);
}

async function readAll(client: Client, instance_id: string, from: number): Promise<readonly HistoryItem[]> {
  const items: HistoryItem[] = [];
  for (let after: number | null = from; after !== null; ) {
    const page: Awaited<ReturnType<Client['history']>> = await client.history(instance_id, {
      after,
      limit: PAGE,
    });
    items.push(...page.items);
    after = page.next === null ? null : Number(page.next);
  }
  return items;
}

function describe(instance_id: string, items: readonly HistoryItem[], events: boolean): string {
  const last = items.at(-1);
  if (!last) return `${instance_id}: nothing more.`;
  const rows = items.flatMap((item) => [rowOf(item), ...(events ? item.events.map(eventRow) : [])]);
  const count = items.length === 1 ? '1 commit' : `${items.length} commits`;
  return [
    table(['seq', 'time', 'by', 'action', 'result', 'step'], rows),
    '',
    `${instance_id}: ${count}, ${last.status} at "${last.current_step}".`,
  ].join('\n');
}

function rowOf({ seq, at, actor, action, result, refusal, current_step }: HistoryItem): string[] {
  const time = at.slice(0, 19).replace('T', ' ');
  const outcome = refusal ? `refused: ${refusal.code}` : (result ?? '');
  return [String(seq), time, `${actor.sub} (${actor.kind})`, action, outcome, current_step];
}

const eventRow = ({ type }: HistoryItem['events'][number]): string[] => ['', '', '', `  ${type}`];
