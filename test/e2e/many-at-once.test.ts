// Many writers on one instance, and the same key many times: all land, none is lost, none is doubled.
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedServer, sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, historyOf, signal, started } from './callers.ts';

describe.each(STORE_KINDS)('many at once, on %s', (kind) => {
  let server: SharedServer;
  let owner: Caller;
  beforeAll(async () => {
    server = await sharedServer(kind);
    owner = await callerOn(server, 'olga-many-at-once');
  });

  const history = (id: string) => historyOf(owner, id);

  it('64 writers: each acknowledged signal is in the log once, and seq has no gap', async () => {
    const id = await started(owner, 'decision-critic', { params: { decision: 'ship it' } });
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => signal(owner, id, { action: 'stay', data: { n } })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const items = await history(id);
    expect(items.map(({ seq }) => seq)).toEqual(Array.from({ length: 65 }, (_, i) => i + 1));
    const landed = items.slice(1).map(({ signal: { body } }) => body.data?.n);
    expect(landed.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 64 }, (_, n) => n));
    for (const { body } of answers) expect(items.filter(({ seq }) => seq === body.version)).toHaveLength(1);
  });

  it('the same key at once, and again after 200 further commits: one commit, the same answer', async () => {
    const id = await started(owner, 'decision-critic', { params: { decision: 'ship it' } });
    const once = () => signal(owner, id, { action: 'stay', data: { once: true } }, 'only-once');
    const [first, ...others] = await Promise.all(Array.from({ length: 8 }, once));
    const { replayed: _, ...answer } = first?.body ?? {};
    for (const { body } of others) expect(body).toMatchObject(answer);
    await Promise.all(Array.from({ length: 200 }, (_, n) => signal(owner, id, { data: { n } }, `k${n}`)));
    expect((await once()).body).toEqual({ ...answer, replayed: true });
    expect(await history(id)).toHaveLength(202);
    const other = await signal(owner, id, { action: 'stay', data: { once: false } }, 'only-once');
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  });

  it('a start repeated under its key answers as the first did, long after', async () => {
    const body = { workflow_id: 'delivery', subject: 'story-1' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => owner.post('/api/workflows', body, 'start-1')),
    );
    expect(new Set(answers.map((answer) => answer.body.instance_id)).size).toBe(1);
    expect(answers.filter((answer) => !answer.body.replayed)).toHaveLength(1);
    const other = await owner.post('/api/workflows', { ...body, subject: 'story-2' }, 'start-1');
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_mismatch']);
  });
});
