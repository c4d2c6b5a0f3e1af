// The events of commits, to the bus.
//   PB3  Instances inside a session are not published: outside it they do not exist yet.
//   PB4  What the bus did not take is answered, so that its records come again; what it took is not sent again by the
//       process that sent it. EventBridge keeps no order and may deliver twice: messages carry `id` and `seq`.
import { Fault } from '../faults.ts';
import type { Bus, Sessions } from '../ports.ts';
import { createRecent } from './broadcast-recent.ts';
import { textOf, type Told } from './publish-told.ts';
import { placed } from './session-scope.ts';

interface Arrived {
  readonly told: Told;
}

/** Without a bus nothing is published. Answers with what could not be. */
export function createPublish(bus: Bus | null, sessions: Pick<Sessions, 'closingOf' | 'ownerOf'>) {
  const sent = createRecent();
  return async <A extends Arrived>(batch: readonly A[]): Promise<{ of: A; error: Fault }[]> => {
    if (bus === null) return [];
    const told = await placed(
      sessions,
      batch.map((of) => of.told),
    );
    const open = batch
      .filter((_, i) => told[i]?.scope === 'everywhere')
      .flatMap((of) => of.told.messages.map((message) => ({ of, message })))
      .filter(({ message }) => !sent.has(message.id))
      .map(({ of, message }) => {
        const { id, type, at } = message;
        return { of, id, type, at, text: textOf(message) };
      });
    const left = new Set(await bus.publish(open));
    for (const publication of open) if (!left.has(publication)) sent.add(publication.id);
    return [...new Set([...left].map(({ of }) => of))].map((of) => ({ of, error: NOT_TAKEN }));
  };
}

const NOT_TAKEN = new Fault('unavailable', 'The event bus did not take every event.');
