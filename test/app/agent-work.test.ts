// Reports of failed work, on real stores: heard once under their key, whoever else uses that key, and never lost.
import { beforeAll, describe, expect, it } from 'vitest';
import { reportWork } from '../../shared/app/agent-work.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor } from '../../shared/engine/index.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, human } from '../support/play.ts';
import { freshTables, STORE_KINDS } from '../support/stores.ts';

const OLGA = human('olga');
const DEV = agent('dev-1', 'developer');
const ARCHITECT = agent('arch-1', 'architect');

const DRAFTS = {
  id: 'drafts',
  recovery: 'restart',
  steps: [{ id: 'draft', agents: ['writer', 'editor'] }, { id: 'print' }],
};

describe.each(STORE_KINDS)('a report of failure, on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    app = appOn(await freshTables(kind), { drafts: DRAFTS });
  });

  const committed = async (task_id: string) =>
    tell(app, {
      instance_id: task_id,
      type: 'signal',
      body: { action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc1234' } },
      caller: DEV,
    });
  const inReview = async (): Promise<string> => {
    const { instance_id } = await startInstance(app, { body: { workflow_id: 'delivery' }, caller: OLGA });
    await committed(instance_id);
    return instance_id;
  };
  const failed = (task_id: string, caller: Actor, result: object, key?: string) => {
    const [role = ''] = caller.roles;
    const body = { task_id, role, action_performed: 'WORK', result: { success: false, ...result } };
    return reportWork(app, { body, caller, key });
  };
  const stateOf = async (id: string) => (await app.log.latest(id))?.commit.state;

  it('is answered again under its key, although the work is no longer the reporter’s', async () => {
    const id = await inReview();
    const first = await failed(id, ARCHITECT, { feedback: 'Timeout.' }, 'k');
    expect(first).toMatchObject({ status: 'accepted', current_state: 'todo' });
    expect(await failed(id, ARCHITECT, { feedback: 'Timeout.' }, 'k')).toEqual({ ...first, replayed: true });
    await expect(failed(id, ARCHITECT, { feedback: 'Crash.' }, 'k')).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
    expect(await stateOf(id)).toMatchObject({ retry_count: 1 });
  });

  it('is not taken for that of another who uses the same key', async () => {
    const id = await inReview();
    await failed(id, ARCHITECT, { feedback: 'Timeout.' }, 'k');
    const second = await failed(id, DEV, { feedback: 'Timeout.' }, 'k');
    expect(second).toMatchObject({ status: 'accepted' });
    expect(second).not.toHaveProperty('replayed');
    expect(await stateOf(id)).toMatchObject({ retry_count: 2 });
  });

  it.each([
    ['its error', { error: 'Agent crash', feedback: 'Sorry.' }, 'Agent crash'],
    ['the message of its error', { error: { code: 7, message: 'Agent crash' } }, 'Agent crash'],
    ['its feedback', { feedback: 'Agent timeout' }, 'Agent timeout'],
    ['its feedback, if the error is no text', { error: 7, feedback: 'Agent timeout' }, 'Agent timeout'],
    ['the beginning of a long one', { feedback: 'x'.repeat(20_000) }, 'x'.repeat(5_000)],
    ['that it failed, if it says no more', {}, 'WORK did not succeed.'],
  ])('tells why by %s', async (_, result, last_error) => {
    const id = await inReview();
    expect(await failed(id, ARCHITECT, result)).toMatchObject({ status: 'accepted' });
    expect(await stateOf(id)).toMatchObject({ current_step: 'todo', last_error });
  });

  it.each<[string, Actor, object, string]>([
    ['an agent that the step names', agent('bot-1', 'writer'), {}, 'accepted'],
    ['the same, in its role', agent('bot-1', 'writer'), { role: 'writer' }, 'accepted'],
    ['the same, in a role it does not have', agent('bot-1', 'writer'), { role: 'editor' }, 'rejected'],
    ['the service that started it', agent('service'), {}, 'accepted'],
    ['its owner', OLGA, {}, 'accepted'],
  ])('is taken from whoever may work on the step: %s', async (_, caller, more, status) => {
    const body = { workflow_id: 'drafts', user_id: 'olga' };
    const { instance_id: task_id } = await startInstance(app, { body, caller: agent('service') });
    const work = { task_id, action: 'complete_step', result: { success: false }, ...more };
    expect(await reportWork(app, { body: work, caller })).toMatchObject({ status });
    expect((await stateOf(task_id))?.retry_count).toBe(status === 'accepted' ? 1 : 0);
  });

  it('by someone else is turned down and put on record', async () => {
    const id = await inReview();
    expect(await failed(id, DEV, {})).toMatchObject({ status: 'rejected', code: 'role_not_allowed' });
    expect((await app.log.latest(id))?.commit).toMatchObject({
      actor: { sub: 'dev-1' },
      refusal: { code: 'role_not_allowed' },
      state: { current_step: 'pending_arch_review', retry_count: 0 },
    });
  });

  it.each([true, false])('is rejected once the instance has ended, be it of success: %s', async (success) => {
    const id = await inReview();
    await tell(app, { instance_id: id, type: 'cancel', body: {}, caller: OLGA });
    const body = { task_id: id, role: 'architect', action_performed: 'APPROVE_DESIGN', result: { success } };
    expect(await reportWork(app, { body, caller: ARCHITECT })).toMatchObject({
      status: 'rejected',
      code: 'workflow_finished',
      current_state: 'pending_arch_review',
    });
  });

  it('does not undo what another has done since it was judged', async () => {
    const id = await inReview();
    let approved = false;
    const meanwhile: TestApp['log'] = {
      ...app.log,
      seqOfKey: async (instance_id, key) => {
        if (!approved) {
          approved = true;
          const second = agent('arch-2', 'architect');
          await tell(app, {
            instance_id,
            type: 'signal',
            body: { action: 'APPROVE_DESIGN' },
            caller: second,
          });
        }
        return app.log.seqOfKey(instance_id, key);
      },
    };
    const body = { task_id: id, role: 'architect', action: 'WORK', result: { success: false } };
    expect(
      await reportWork({ ...app, log: meanwhile }, { body, caller: ARCHITECT, key: 'late' }),
    ).toMatchObject({
      status: 'rejected',
      code: 'role_not_allowed',
    });
    expect(await stateOf(id)).toMatchObject({ current_step: 'pending_qa', retry_count: 0 });
  });
});
