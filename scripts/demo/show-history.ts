// The audit trail of a play as a table, and the proof that the live events were all of it.
import type { Client, StepgateEvent } from '../../client/node.ts';
import type { Screen } from './screen.ts';
import { expectEqual } from './stage.ts';

export interface Played {
  readonly client: Client;
  readonly instance_id: string;
  readonly title: string;
  readonly events: readonly StepgateEvent[];
}

const PAGE = 100;

export async function showHistory(screen: Screen, { client, instance_id, title, events }: Played) {
  const commits = await readAll(client, instance_id);
  screen.title(`History of ${title.toLowerCase()}`, instance_id);
  screen.table(
    ['seq', 'time', 'by', 'action', 'result', 'at step'],
    commits.map(({ seq, at, actor, action, result, refusal, current_step }) => [
      String(seq).padStart(3),
      at.slice(11, 19),
      actor.sub,
      action,
      result ?? refusal?.code ?? '',
      current_step,
    ]),
  );
  const logged = commits.flatMap((commit) => commit.events.map(({ id }) => id));
  expectEqual(
    'what was seen live',
    events.map(({ id }) => id),
    logged,
  );
  return { commits: commits.length, events: events.length };
}

async function readAll(client: Client, instance_id: string) {
  const first = await client.history(instance_id, { limit: PAGE });
  const items = [...first.items];
  for (let { next } = first; next !== null; ) {
    const page = await client.history(instance_id, { after: Number(next), limit: PAGE });
    items.push(...page.items);
    next = page.next;
  }
  return items;
}
