// To the bus: in tens, each entry of the answer looked at, what was not taken tried again and then answered.
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { toldOfClosing } from '../../shared/app/follow-closing.ts';
import { createPublish } from '../../shared/app/publish.ts';
import { readTold, textOf } from '../../shared/app/publish-told.ts';
import type { Sessions } from '../../shared/ports.ts';
import { createBus } from '../../shared/store/bus.ts';
import { NOON } from '../support/play.ts';

const bridge = mockClient(EventBridgeClient);
afterAll(() => bridge.restore());
const bus = createBus(new EventBridgeClient({}), 'the-bus');
const closing = { owner: 'olga', by: 'olga', at: NOON, reason: null };
/** One was committed, one cancelled; the others are open. */
const sessions: Pick<Sessions, 'closingOf' | 'ownerOf'> = {
  closingOf: (session_name) =>
    Promise.resolve(
      session_name === 'committed' || session_name === 'cancelled'
        ? { ...closing, session_name, kind: session_name }
        : null,
    ),
  ownerOf: () => Promise.resolve('olga'),
};

const told = (seq: number, data: Record<string, unknown>[] = [{}], session_name: string | null = null) => ({
  told: readTold({
    seq,
    at: NOON,
    events: data.map((each) => ({ type: 'workflow.reminder', data: each })),
    state: {
      instance_id: 'i-1',
      workflow_id: 'w',
      definition: 'v',
      owner: 'olga',
      created_by: 'olga',
      session_name,
    },
  }),
});

/** Takes what `takes` says, by the id of the message. */
function answer(takes: (id: string, request: number) => boolean): void {
  let request = 0;
  bridge.on(PutEventsCommand).callsFake(({ Entries }: { Entries: PutEventsRequestEntry[] }) => {
    request++;
    return {
      Entries: Entries.map(({ Detail = '' }) => {
        const { id } = JSON.parse(Detail) as { id: string };
        return takes(id, request) ? { EventId: id } : { ErrorCode: 'InternalFailure' };
      }),
    };
  });
}
const requests = () =>
  bridge.commandCalls(PutEventsCommand).map(({ args: [{ input }] }) => input.Entries ?? []);

beforeEach(() => {
  bridge.reset();
  answer(() => true);
});

it('publishes each event as it is on the socket, under its type', async () => {
  expect(await createPublish(bus, sessions)([told(2, [{ step: 'todo' }])])).toEqual([]);
  expect(requests()).toEqual([
    [
      {
        EventBusName: 'the-bus',
        Source: 'stepgate',
        DetailType: 'workflow.reminder',
        Time: new Date(NOON),
        Detail: textOf({
          id: 'i-1:2.0',
          type: 'workflow.reminder',
          instance_id: 'i-1',
          workflow_id: 'w',
          seq: 2,
          of: 1,
          at: NOON,
          data: { step: 'todo' },
        }),
      },
    ],
  ]);
});

it('sends ten at a time, and fewer where they are large', async () => {
  await createPublish(bus, sessions)(Array.from({ length: 23 }, (_, i) => told(i + 1)));
  expect(requests().map((entries) => entries.length)).toEqual([10, 10, 3]);
  bridge.resetHistory();
  await createPublish(
    bus,
    sessions,
  )([
    told(
      1,
      Array.from({ length: 6 }, () => ({ text: 'x'.repeat(100 * 1024) })),
    ),
  ]);
  expect(requests().map((entries) => entries.length)).toEqual([2, 2, 2]);
});

it('sends a notice of what is too large', async () => {
  await createPublish(bus, sessions)([told(7, [{ text: 'x'.repeat(200 * 1024) }])]);
  const detail = JSON.parse(requests()[0]?.[0]?.Detail ?? '') as Record<string, unknown>;
  expect(detail).toMatchObject({
    id: 'i-1:7.0',
    notice: 'too_large',
    href: '/api/workflows/i-1/history?after=6&limit=1',
  });
});

describe('what the bus does not take (PB4)', () => {
  const batch = Array.from({ length: 12 }, (_, i) => told(i + 1));

  it('is tried again alone', async () => {
    answer((id, request) => request > 2 || id !== 'i-1:3.0');
    expect(await createPublish(bus, sessions)(batch)).toEqual([]);
    expect(requests().map((entries) => entries.length)).toEqual([10, 2, 1]);
  });

  it('is answered after three tries, and only that is sent when the batch comes again', async () => {
    answer((id) => id !== 'i-1:3.0' && id !== 'i-1:12.0');
    const publish = createPublish(bus, sessions);
    const failed = await publish(batch);
    expect(failed.map(({ of }) => of.told.seq)).toEqual([3, 12]);
    answer(() => true);
    bridge.resetHistory();
    expect(await publish(batch)).toEqual([]);
    expect(requests().map((entries) => entries.length)).toEqual([2]);
  });

  it('is all of a request that fails as a whole', async () => {
    bridge.on(PutEventsCommand).rejects(new Error('the bus is away'));
    expect(await createPublish(bus, sessions)(batch)).toHaveLength(12);
  });
});

it('publishes nothing of an instance inside a session, and nothing without a bus (PB3)', async () => {
  expect(await createPublish(bus, sessions)([told(1, [{}], 'draft')])).toEqual([]);
  expect(await createPublish(bus, sessions)([told(1, [{}], 'cancelled')])).toEqual([]);
  expect(await createPublish(null, sessions)([told(1)])).toEqual([]);
  expect(requests()).toEqual([]);
});

it('publishes what happens in an instance once its session is committed, and the commit itself', async () => {
  const committed = { ...closing, session_name: 'committed', kind: 'committed' as const };
  const batch = [told(4, [{}], 'committed'), { told: toldOfClosing(committed) }];
  expect(await createPublish(bus, sessions)(batch)).toEqual([]);
  const types = requests().flatMap((entries) => entries.map(({ DetailType }) => DetailType));
  expect(types).toEqual(['workflow.reminder', 'workflow.session.committed']);
});
