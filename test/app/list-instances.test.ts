// GET /api/workflows: who sees which instances, newest first, page by page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listInstances, type ListFilter } from '../../shared/app/list-instances.ts';
import { cursorAt } from '../../shared/app/list-instances-pages.ts';
import type { Actor } from '../../shared/engine/index.ts';
import type { Head } from '../../shared/ports.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, BOSS, human, STRANGER } from '../support/play.ts';
import { freshTables, STORE_KINDS } from '../support/stores.ts';

const olga = human('olga');
const service = agent('service');

describe.each(STORE_KINDS)('listing on %s', (kind) => {
  let app: TestApp;
  const heads: Head[] = [];
  beforeAll(async () => {
    app = appOn(await freshTables(kind));
    const version = async (id: string) => (await app.definitions.current(id))?.version ?? '';
    const versions = { delivery: await version('delivery'), onboarding: await version('onboarding') };
    for (let i = 0; i < 24; i++) {
      const workflow_id = i % 2 === 0 ? 'delivery' : 'onboarding';
      const owner = i % 3 === 0 ? 'otto' : 'olga';
      const created_at = `2026-03-01T12:00:${String(i).padStart(2, '0')}.000Z`;
      heads.push({
        instance_id: `i-${i}`,
        workflow_id,
        definition_version: versions[workflow_id],
        version: 1,
        status: i % 4 === 0 ? 'completed' : 'in_progress',
        current_step: 'todo',
        percent: 0,
        owner,
        created_by: i === 5 ? 'service' : owner,
        subject: null,
        session_name: i === 7 ? 'draft' : null,
        created_at,
        updated_at: created_at,
        assigned_to: [],
        assigned_at: created_at,
      });
    }
    await Promise.all(heads.map((head) => app.listings.project(head)));
  });
  afterAll(() => app.client.destroy());

  const ids = (list: readonly Head[]) => list.map(({ instance_id }) => instance_id);
  /** Those that pass, newest first, without the one inside a session. */
  const those = (passes: (head: Head) => boolean) =>
    ids(heads.filter((head) => head.session_name === null && passes(head)).toReversed());
  const list = async (caller: Actor, filter: ListFilter = {}) =>
    ids((await listInstances(app, caller, { limit: 100, ...filter })).items);

  it.each<[string, Actor, ListFilter, (head: Head) => boolean]>([
    ['their own to an owner', olga, {}, ({ owner }) => owner === 'olga'],
    ['what it started to a creator', service, {}, ({ created_by }) => created_by === 'service'],
    ['everything to an admin', BOSS, {}, () => true],
    ['nothing to a stranger', STRANGER, {}, () => false],
    [
      'those of workflows that need it to a role',
      agent('q', 'qa'),
      {},
      (head) => head.workflow_id === 'delivery',
    ],
    [
      'their own and those that need their role, each once',
      human('olga', 'qa'),
      {},
      (head) => head.owner === 'olga' || head.workflow_id === 'delivery',
    ],
    [
      'one status',
      olga,
      { status: 'completed' },
      (head) => head.owner === 'olga' && head.status === 'completed',
    ],
    [
      'one workflow to an owner',
      olga,
      { workflow_id: 'onboarding' },
      (head) => head.owner === 'olga' && head.workflow_id === 'onboarding',
    ],
    [
      'one workflow to an admin',
      BOSS,
      { workflow_id: 'onboarding' },
      (head) => head.workflow_id === 'onboarding',
    ],
    ['nothing of a workflow that is not there', BOSS, { workflow_id: 'none' }, () => false],
  ])('shows %s (LI3)', async (_, caller, filter, passes) => {
    expect(await list(caller, filter)).toEqual(those(passes));
  });

  it.each([1, 2, 5, 7, 100])('pages by %i without a gap or a double', async (limit) => {
    const caller = human('olga', 'qa');
    const seen: string[] = [];
    let next: string | null | undefined;
    do {
      const page = await listInstances(app, caller, { limit, ...(next ? { next } : {}) });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      seen.push(...ids(page.items));
      next = page.next;
    } while (next !== null);
    expect(seen).toEqual(await list(caller));
  });

  it('shows twenty where no limit is given', async () => {
    const { items, next } = await listInstances(app, BOSS, {});
    expect(items).toHaveLength(20);
    expect(next).not.toBeNull();
  });

  it.each(['x', '', 'bm9wZQ', cursorAt('yesterday#i-1'), `${cursorAt('2026-03-01T12:00:00.000Z#i-1')}!`])(
    'refuses the cursor "%s", which is none of ours',
    async (next) => {
      await expect(listInstances(app, olga, { next })).rejects.toMatchObject({
        code: 'invalid_request',
        details: { issues: [{ path: 'next' }] },
      });
    },
  );

  it('judges by the version an instance is pinned to, not by the current one', async () => {
    const [first] = heads;
    if (!first) throw new Error('there are heads');
    await app.listings.project({ ...first, instance_id: 'old', definition_version: 'lost' });
    expect(await list(agent('q', 'qa'))).not.toContain('old');
    expect(await list(BOSS)).toContain('old');
  });
});
