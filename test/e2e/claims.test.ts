// Claims over HTTP: one of two agents wins, the others wait until the lease has run out, and who held it before is late.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedServer } from '../support/shared-server.ts';
import { STORE_KINDS } from '../support/stores.ts';
import { type Caller, callerOn, eventually, type Reply, signal, started } from './callers.ts';

describe.each(STORE_KINDS)('a claim, on %s', (kind) => {
  let owner: Caller;
  let ann: Caller;
  let ben: Caller;
  beforeAll(async () => {
    const server = await sharedServer(kind);
    owner = await callerOn(server, 'olga-claims');
    ann = await callerOn(server, 'ann', ['developer'], 'agent');
    ben = await callerOn(server, 'ben', ['developer'], 'agent');
  });
  let id: string;
  beforeEach(async () => {
    id = await started(owner, 'delivery');
  });
  /** Others share the inbox. */
  afterEach(() => owner.post(`/api/workflows/${id}/cancel`));

  const claim = (by: Caller, id: string, body: object = {}) => by.post(`/api/workflows/${id}/claim`, body);
  const saidOf = ({ status, body }: Reply) => `${status} ${String(body.code ?? body.result)}`;
  const waits = async (by: Caller): Promise<boolean> => {
    for (let next: unknown = ''; typeof next === 'string'; ) {
      const { body } = await by.get(`/api/tasks?role=developer&limit=100${next && `&next=${next}`}`);
      if ((body.tasks as { task_id: string }[]).some(({ task_id }) => task_id === id)) return true; // as the wire gives it
      next = body.next;
    }
    return false;
  };
  const waiting = (by: Caller) => eventually(() => waits(by), Boolean);

  it('goes to one of two agents that race for it', async () => {
    const replies = await Promise.all([claim(ann, id), claim(ben, id)]);
    expect(replies.map(saidOf).toSorted()).toEqual(['200 advanced', '409 already_claimed']);
  });

  it("is its holder's until it is given back", async () => {
    await waiting(ben);
    await claim(ann, id);
    expect(saidOf(await signal(ben, id, { action: 'stay' }))).toBe('409 not_holder');
    expect(saidOf(await ben.post(`/api/workflows/${id}/heartbeat`))).toBe('409 not_holder');
    expect(saidOf(await ben.post(`/api/workflows/${id}/release`))).toBe('409 not_holder');
    expect(await waits(ben)).toBe(false);
    expect(saidOf(await ann.post(`/api/workflows/${id}/heartbeat`))).toBe('200 stayed');
    expect(saidOf(await ann.post(`/api/workflows/${id}/release`, { reason: 'Lunch.' }))).toBe('200 stayed');
    await waiting(ben);
    expect(saidOf(await claim(ben, id))).toBe('200 stayed');
  });

  it('is taken over once its lease has run out, and what the old holder still sends is refused', async () => {
    expect(saidOf(await claim(ann, id, { lease_seconds: 0.4 }))).toBe('200 advanced');
    await waiting(ben);
    const taken = await eventually(
      () => claim(ben, id, { lease_seconds: 600 }),
      ({ status }) => status === 200,
    );
    expect(saidOf(taken)).toBe('200 stayed');
    const work = { action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc123', files_changed: ['a.ts'] } };
    expect(saidOf(await signal(ann, id, work))).toBe('409 not_holder');
    const report = { task_id: id, role: 'developer', action_performed: 'COMMIT_CODE', ...work };
    const late = await ann.post('/api/agent-work', { ...report, result: { success: false } });
    expect(late.body).toMatchObject({ status: 'rejected', code: 'not_holder' });
    expect(saidOf(await signal(ben, id, work))).toBe('200 advanced');
  });
});
