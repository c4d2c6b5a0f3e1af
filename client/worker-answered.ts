// Has a turn been answered, so that the person is to speak? Whoever comes after a restart, or takes a task over, asks.
import type { Client } from './create-client.ts';
import { recordOf } from './error.ts';
import type { AgentContext, HistoryItem } from './shapes.ts';

const PAGE = 100;

/** The agent had the last word in this turn, and it was its answer: what it said while it worked ("I am looking into
 *  it …") and then died is none. */
export async function isAnswered(
  client: Client,
  { instance_id, messages, turn, version }: AgentContext,
): Promise<boolean> {
  const last = messages.at(-1);
  if (last?.from !== 'agent' || last.turn !== turn) return false;
  const { items } = await client.history(instance_id, { after: Math.max(0, version - PAGE), limit: PAGE });
  return items.some((item) => item.turn === turn && isAnswer(item));
}

/** A signal that replied, or that only ended the turn; the worker's `save` does neither. */
function isAnswer({ signal: { type, body }, result }: HistoryItem): boolean {
  const { reply, data } = recordOf(body);
  return type === 'signal' && result === 'stayed' && (reply !== undefined || data === undefined);
}
