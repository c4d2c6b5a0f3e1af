// What a state looks like in lists and inboxes, and which commits of a batch are projected.
import { describe, expect, it } from 'vitest';
import { headOf, project } from '../../shared/app/project.ts';
import { projectNewest } from '../../shared/app/project-newest.ts';
import { readTold } from '../../shared/app/publish-told.ts';
import { load, type Workflow } from '../../shared/engine/index.ts';
import type { Definitions, Head, Listings } from '../../shared/ports.ts';
import { delivery, generation, onboarding } from '../support/definitions.ts';
import { agent, human, NOON, type Play, play } from '../support/play.ts';

const dan = agent('dan', 'developer');
const arthur = agent('arthur', 'architect');
const commit = { action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc' } };

const reviewed = load({
  id: 'reviewed',
  roles: ['writer', 'editor', 'lead', 'owner'],
  steps: [
    { id: 'write', roles: ['writer'], outputs: ['text'], approval: { roles: ['editor', 'lead'] } },
    { id: 'publish', roles: ['owner'] },
  ],
});
const written = () =>
  play(reviewed)
    .as(agent('w', 'writer'))
    .done({ artifacts: { text: 'x' } });

describe('whose inbox an instance is in (LI2)', () => {
  it.each<[string, Workflow, Play, readonly string[]]>([
    ['the role in charge', delivery, play(delivery), ['developer']],
    ['the next role', delivery, play(delivery).as(dan).signal(commit), ['architect']],
    ['the agent of a step', onboarding, play(onboarding), ['greeter']],
    ['those who may approve, while it waits for that', reviewed, written(), ['editor', 'lead']],
    ['nobody while it waits for an answer', delivery, asking(), []],
    ['nobody once it is over', delivery, play(delivery).send('cancel', { reason: 'enough' }), []],
  ])('%s', (_, workflow, { state }, roles) => {
    expect(headOf(workflow, state).assigned_to).toEqual(roles);
  });

  it('is that of every agent who has not reported yet', () => {
    const at = play(generation);
    expect(headOf(generation, at.state).assigned_to).toEqual(['checker']);
  });

  it('is nobody’s where the owner acts, unless "owner" is a role of the workflow', () => {
    const alone = load({ id: 'alone', steps: [{ id: 'only' }] });
    expect(headOf(alone, play(alone).state).assigned_to).toEqual([]);
    const approved = written().as(human('e', 'editor')).send('approve', { approved: true });
    expect(headOf(reviewed, approved.state).assigned_to).toEqual(['owner']);
  });
});

it('keeps the place of a task that is given back, and counts an approval from when it was asked for', () => {
  const later = '2026-03-01T13:00:00.000Z';
  const claimed = play(delivery).as(dan).signal(commit).as(arthur).at(later).send('claim', {});
  const entered = headOf(delivery, claimed.state).assigned_at;
  const given = claimed.at('2026-03-01T13:05:00.000Z').send('release', {});
  expect(headOf(delivery, given.state)).toMatchObject({ assigned_at: entered, version: 4 });
  expect(headOf(reviewed, written().state).assigned_at).toBe(NOON);
});

it('shows what lists show, and nothing of what was said', () => {
  expect(headOf(delivery, play(delivery).as(dan).signal(commit).state)).toEqual({
    instance_id: 'i-1',
    workflow_id: 'delivery',
    definition_version: delivery.version,
    version: 2,
    status: 'in_progress',
    current_step: 'pending_arch_review',
    percent: 50,
    owner: 'olga',
    created_by: 'olga',
    subject: null,
    session_name: null,
    created_at: NOON,
    updated_at: NOON,
    assigned_to: ['architect'],
    assigned_at: NOON,
  });
});

describe('a batch', () => {
  const { log } = play(delivery).as(dan).signal(commit).as(arthur).send('claim', {});
  const batch = log.map(({ state }, i) => {
    const whole = { seq: i + 1, at: NOON, events: [], state };
    return { told: readTold(whole), commit: whole };
  });
  const ports = (failing = false) => {
    const projected: Head[] = [];
    const definitions: Pick<Definitions, 'version'> = { version: () => Promise.resolve(delivery) };
    const listings: Pick<Listings, 'project'> = {
      project: (head) =>
        failing ? Promise.reject(new Error('away')) : Promise.resolve(void projected.push(head)),
    };
    const sessions = { closingOf: () => Promise.resolve(null) };
    return { projected, ports: { definitions, listings, sessions } };
  };

  it('is one write for each instance: its newest commit, wherever that stands (LI1)', async () => {
    const { projected, ports: given } = ports();
    const [first, second, third] = batch;
    if (!first || !second || !third) throw new Error('three were played');
    expect(await projectNewest(given, [second, third, first, third])).toEqual([]);
    expect(projected.map(({ version }) => version)).toEqual([3]);
  });

  it('answers with what failed: the store, or a state that does not parse', async () => {
    expect(await projectNewest(ports(true).ports, batch)).toMatchObject([{ of: batch[2] }]);
    const broken = { ...batch[0], told: { ...readTold(batch[0]?.commit), instance_id: 'other' }, commit: {} };
    const { projected, ports: given } = ports();
    expect(await projectNewest(given, [...batch, broken])).toMatchObject([{ of: broken }]);
    expect(projected).toHaveLength(1);
  });

  it('fails where the definition cannot be found', async () => {
    const { listings, sessions } = ports().ports;
    const lost = { listings, sessions, definitions: { version: () => Promise.resolve(null) } };
    await expect(project(lost, play(delivery).state)).rejects.toThrow(/is not in the store/);
  });
});

function asking(): Play {
  const question = { question: 'Which?', options: ['a', 'b'] };
  return play(delivery)
    .as(dan)
    .signal({ action: 'need_input', questions: [question] });
}
