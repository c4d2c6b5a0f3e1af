// Publishing to EventBridge. PutEvents can fail in part: each entry of the answer is looked at.
import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import { EVENT_SOURCE } from '../names.ts';
import type { Bus, Publication } from '../ports.ts';

const MOST_ENTRIES = 10;
/** EventBridge counts 256 KB a request, and besides the detail its type, source and time. */
const MOST_BYTES = 250 * 1024;
const BESIDES = 200;
const TRIES = 3;

export function createBus(client: EventBridgeClient, bus: string): Bus {
  async function put<P extends Publication>(chunk: readonly P[]): Promise<readonly P[]> {
    try {
      const Entries = chunk.map((publication) => entryOf(publication, bus));
      const { Entries: answers = [] } = await client.send(new PutEventsCommand({ Entries }));
      return chunk.filter((_, i) => answers[i]?.EventId === undefined);
    } catch {
      return chunk; // the SDK has tried again already
    }
  }
  return {
    async publish(publications) {
      let left = publications;
      for (let tried = 0; left.length > 0 && tried < TRIES; tried++)
        left = (await Promise.all(chunksOf(left).map(put))).flat();
      return left;
    },
  };
}

const entryOf = ({ type, at, text }: Publication, EventBusName: string): PutEventsRequestEntry => ({
  EventBusName,
  Source: EVENT_SOURCE,
  DetailType: type,
  Detail: text,
  Time: new Date(at),
});

function chunksOf<P extends Publication>(publications: readonly P[]): P[][] {
  const chunks: P[][] = [];
  let bytes = 0;
  for (const publication of publications) {
    const size = Buffer.byteLength(publication.text) + BESIDES;
    const last = chunks.at(-1);
    if (last !== undefined && last.length < MOST_ENTRIES && bytes + size <= MOST_BYTES) {
      last.push(publication);
      bytes += size;
    } else {
      chunks.push([publication]);
      bytes = size;
    }
  }
  return chunks;
}
