// What lists show (LS1–LS4), on every store there is.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  DynamoDBDocumentClient,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Head, Listings } from '../../shared/ports.ts';
import { createListings } from '../../shared/store/listings.ts';
import { clientConfig, type FreshTables, freshTables, STORE_KINDS } from '../support/stores.ts';

describe.each(STORE_KINDS)('listings on %s', (kind) => {
  let tables: FreshTables;
  let client: DynamoDBClient;
  let listings: Listings;
  let count = 0;
  beforeAll(async () => {
    tables = await freshTables(kind);
    client = new DynamoDBClient(clientConfig(tables.endpoint));
    listings = createListings(DynamoDBDocumentClient.from(client), tables.table);
  });
  const others: DynamoDBClient[] = [];
  afterAll(() => [client, ...others].forEach((each) => each.destroy()));

  /** Its owner, roles and workflow are this test's alone. */
  const names = () => ({ owner: `owner-${count}`, role: `role-${count}`, workflow: `workflow-${count}` });
  beforeEach(() => void count++);

  const head = (id: string, more: Partial<Head> = {}): Head => ({
    instance_id: `${id}-${count}`,
    workflow_id: names().workflow,
    definition_version: 'v',
    version: 1,
    status: 'in_progress',
    current_step: 'todo',
    percent: 0,
    owner: names().owner,
    created_by: names().owner,
    subject: null,
    session_name: null,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
    assigned_to: [names().role],
    assigned_at: '2026-03-01T12:00:00.000Z',
    ...more,
  });
  const heads = async (list: Promise<readonly { head: Head }[]>) => (await list).map((listed) => listed.head);
  const inbox = (role = names().role) => heads(listings.inbox(role, undefined, 100));
  const owned = (owner = names().owner) => heads(listings.list({ owner }, undefined, 100));
  const ofWorkflow = () => heads(listings.list({ workflow: names().workflow }, undefined, 100));
  const stored = async (id: string) => {
    const { Items = [] } = await DynamoDBDocumentClient.from(client).send(
      new ScanCommand({ TableName: tables.table, ConsistentRead: true }),
    );
    return Items.filter((item) => item.instance_id === `${id}-${count}`).map((item) => String(item.sk));
  };

  type Keys = readonly Record<string, unknown>[];
  /** Listings whose batches of reads are answered by `answer`, from what was asked and what is there. */
  const overBatches = (answer: (asked: Keys, found: Keys) => object) => {
    const own = new DynamoDBClient(clientConfig(tables.endpoint));
    others.push(own);
    own.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const result = await next(args);
          if (commandName !== 'BatchGetItemCommand') return result;
          const { RequestItems = {} } = args.input as BatchGetCommandInput; // of this command
          const { Responses = {} } = result.output as BatchGetCommandOutput;
          const given = answer(RequestItems[tables.table]?.Keys ?? [], Responses[tables.table] ?? []);
          return { ...result, output: Object.assign(result.output, { UnprocessedKeys: {} }, given) };
        },
      { step: 'initialize' },
    );
    return createListings(DynamoDBDocumentClient.from(own), tables.table);
  };

  it('lists an instance by its owner, its workflow and the role it waits for', async () => {
    await listings.project(head('a'));
    expect(await owned()).toEqual([head('a')]);
    expect(await ofWorkflow()).toEqual([head('a')]);
    expect(await inbox()).toEqual([head('a')]);
  });

  it('never moves back: a late or repeated projection changes nothing (LS1)', async () => {
    const now = head('a', { version: 3, status: 'completed', assigned_to: [], percent: 100 });
    await listings.project(now);
    await listings.project(head('a', { version: 2 }));
    await listings.project({ ...now, percent: 1 });
    expect(await owned()).toEqual([now]);
    expect(await inbox()).toEqual([]);
  });

  it.each([
    ['one role to another', ['a'], ['b']],
    ['several roles to one of them', ['a', 'b', 'c'], ['b']],
    ['one role to several', ['a'], ['b', 'c', 'a']],
    ['several to none', ['a', 'b'], []],
    ['none to several', [], ['a', 'b']],
  ])('follows from %s', async (_, before, after) => {
    const roles = (list: readonly string[]) => list.map((name) => `${name}-${count}`);
    await listings.project(head('a', { assigned_to: roles(before) }));
    const now = head('a', { version: 2, assigned_to: roles(after) });
    await listings.project(now);
    for (const name of ['a', 'b', 'c'])
      expect([name, await inbox(`${name}-${count}`)]).toEqual([name, after.includes(name) ? [now] : []]);
    expect(await stored('a')).toHaveLength(Math.max(1, after.length));
  });

  it('does not let a late projection put a role back that the instance has left (LS1)', async () => {
    const roles = [`x-${count}`, `y-${count}`];
    await listings.project(head('a', { version: 5, assigned_to: [] }));
    await listings.project(head('a', { version: 4, assigned_to: roles }));
    expect(await inbox(roles[0])).toEqual([]);
    expect(await inbox(roles[1])).toEqual([]);
  });

  it('is mended by a redelivery wherever writing it was cut off (LS2)', async () => {
    const roles = [`x-${count}`, `y-${count}`, `z-${count}`];
    const wholly = head('a', { version: 2, assigned_to: roles.slice(1) });
    for (let cut = 0, requests = 9; cut < requests; cut++) {
      const id = `cut${cut}`;
      await listings.project({ ...wholly, ...head(id), assigned_to: roles.slice(0, 2) });
      const now = { ...wholly, instance_id: `${id}-${count}` };
      const dying = new DynamoDBClient(clientConfig(tables.endpoint));
      let made = 0;
      dying.middlewareStack.add(
        (next) => (request) => {
          if (made++ >= cut) throw new Error('the process died');
          return next(request);
        },
        { step: 'initialize' },
      );
      const attempt = createListings(DynamoDBDocumentClient.from(dying), tables.table).project(now);
      await attempt.catch(() => {});
      dying.destroy();
      if (made <= cut) requests = made;
      await listings.project(now);
      expect({ cut, stored: (await stored(id)).length }).toEqual({ cut, stored: 2 });
    }
    expect(await inbox(roles[0])).toEqual([]);
    expect(await inbox(roles[2])).toEqual(await inbox(roles[1]));
  });

  it('lists an instance for its creator too, if somebody else owns it', async () => {
    const by = `creator-${count}`;
    await listings.project(head('a', { created_by: by }));
    const now = head('a', { created_by: by, version: 2, percent: 50 });
    await listings.project(now);
    expect(await owned(by)).toEqual([now]);
    expect(await owned()).toEqual([now]);
    expect(await ofWorkflow()).toEqual([now]);
  });

  it('keeps an instance inside a session in the list of that session only', async () => {
    const session_name = `session-${count}`;
    const inside = head('a', { session_name, created_by: 'another' });
    await listings.project(inside);
    expect(await heads(listings.list({ session: session_name }, undefined, 10))).toEqual([inside]);
    expect([...(await owned()), ...(await ofWorkflow()), ...(await inbox())]).toEqual([]);
  });

  it('lists newest first, over all shards and page by page, without a gap or a double (LS3)', async () => {
    const all = Array.from({ length: 25 }, (_, i) =>
      head(`i${i}`, { created_at: `2026-03-01T12:00:${String(Math.floor(i / 2)).padStart(2, '0')}.000Z` }),
    );
    await Promise.all(all.map((each) => listings.project(each)));
    for (const by of [{ workflow: names().workflow }, { owner: names().owner }]) {
      const seen: Head[] = [];
      for (let before: string | undefined; ; ) {
        const page = await listings.list(by, before, 7);
        seen.push(...page.map((listed) => listed.head));
        if (page.length < 7) break;
        before = page.at(-1)?.position;
      }
      const newest = all.toSorted((a, b) =>
        `${a.created_at}#${a.instance_id}` > `${b.created_at}#${b.instance_id}` ? -1 : 1,
      );
      expect(seen).toEqual(newest);
    }
  });

  it('shows entries as they are now, and pages stay whole where an index leads to what has left (LS3)', async () => {
    const all = Array.from({ length: 9 }, (_, i) =>
      head(`i${i}`, { assigned_at: `2026-03-01T12:00:0${i}.000Z` }),
    );
    await Promise.all(all.map((each) => listings.project(each)));
    const gone = all.slice(0, 4).map(({ instance_id }) => instance_id);
    // As if the index had not heard yet: its keys are there, what they lead to is not.
    const late = overBatches((_asked, found) => ({
      Responses: { [tables.table]: found.filter(({ instance_id }) => !gone.includes(String(instance_id))) },
    }));
    const page = await heads(late.inbox(names().role, undefined, 3));
    expect(page.map(({ instance_id }) => instance_id)).toEqual(
      all.slice(4, 7).map(({ instance_id }) => instance_id),
    );
  });

  it('asks again for what the store has left for later, a bounded number of times (RE1)', async () => {
    await Promise.all([head('a'), head('b')].map((each) => listings.project(each)));
    const asked: number[] = [];
    const lazy = (patience: number) =>
      overBatches((Keys, found) =>
        asked.push(Keys.length) > patience
          ? { Responses: { [tables.table]: found } }
          : { Responses: {}, UnprocessedKeys: { [tables.table]: { Keys } } },
      );
    const owner = { owner: names().owner };
    expect(await lazy(1).list(owner, undefined, 10)).toHaveLength(2);
    expect(asked).toEqual([2, 2]);
    await expect(lazy(100).list(owner, undefined, 10)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('hands out the longest waiting first, over all shards and page by page', async () => {
    const all = Array.from({ length: 12 }, (_, i) =>
      head(`i${i}`, { assigned_at: `2026-03-01T12:00:${String(59 - i)}.000Z` }),
    );
    await Promise.all(all.map((each) => listings.project(each)));
    const first = await listings.inbox(names().role, undefined, 5);
    const rest = await listings.inbox(names().role, first.at(-1)?.position, 100);
    expect([...first, ...rest].map((listed) => listed.head)).toEqual(all.toReversed());
  });
});
