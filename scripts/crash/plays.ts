// The load: workflows of every kind, each played to its end by the people and agents it needs.
import type { Signal } from '../../client/node.ts';
import type { Chance } from './chance.ts';
import type { Ledger, Person } from './ledger.ts';

export interface Play {
  readonly ledger: Ledger;
  readonly chance: Chance;
  /** Of this play alone. */
  readonly owner: Person;
  /** Tells whoever watches that there is an instance. */
  readonly begun: (instance_id: string, owner: Person) => void;
}

/** Attempts, a judge, back-off and a deadline, all of a second. */
export const DRILL = {
  id: 'drill',
  steps: [
    {
      id: 'write',
      agents: ['writer'],
      attempts: { max: 3, timeout_seconds: 1, backoff_seconds: 1, backoff_jitter: 0.5 },
    },
    { id: 'judge', agents: ['judge'], triggers_retry: true },
    { id: 'sign', agents: ['signer'], approval: true, deadline: { seconds: 60 } },
  ],
};

const VALIDATORS = ['continuity', 'character', 'dialogue', 'pacing', 'style', 'worldbuilding', 'constraint'];
const agent = (role: string): Person => ({ sub: `agent-${role}`, roles: [role], kind: 'agent' });
const SERVICE: Person = { sub: 'service', kind: 'agent' };
const PO: Person = { sub: 'pia', roles: ['po'] };
const breathe = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function begin(play: Play, workflow_id: string, by: Person, more: object = {}): Promise<string> {
  const answer = await play.ledger.say(by, (client, under) => client.start({ workflow_id, ...more }, under));
  if (answer === null) throw new Error(`${workflow_id} did not start`);
  play.begun(answer.instance_id, play.owner);
  return answer.instance_id;
}

const tell = (play: Play, id: string, by: Person, signal: Signal) =>
  play.ledger.say(by, (client, under) => client.signal(id, signal, under));
const done = (play: Play, id: string, by: Person, more: Signal = {}) =>
  tell(play, id, by, { action: 'complete_step', ...more });
const approve = (play: Play, id: string, by: Person) =>
  play.ledger.say(by, (client, under) => client.approve(id, { approved: true }, under));

async function onboarding(play: Play): Promise<void> {
  const { owner, ledger } = play;
  const id = await begin(play, 'onboarding', owner);
  await done(play, id, owner);
  await done(play, id, owner); // blocked: nothing is known yet
  for (const memory of ['family', 'health', 'a book'])
    await ledger
      .as(owner)
      .addFact({ category: 'priorities', memory }, { idempotency_key: `${id}-${memory}` });
  await done(play, id, owner);
  await ledger.say(owner, (client, under) => client.widget(id, 'list_input', { items: ['milk'] }, under));
  await done(play, id, owner);
}

/** Up to the review, rejected once, and sometimes begun anew or left there. */
async function delivery(play: Play): Promise<void> {
  const { owner, chance, ledger } = play;
  const id = await begin(play, 'delivery', owner);
  const developer = agent('developer');
  const commit = (commit_sha: string) =>
    tell(play, id, developer, { action: 'COMMIT_CODE', artifacts: { commit_sha } });
  await ledger.say(developer, (client, under) => client.claim(id, { lease_seconds: 60 }, under));
  await commit('a1');
  await tell(play, id, agent('qa'), { action: 'APPROVE_TESTS' }); // refused: it is not qa's turn
  await tell(play, id, agent('architect'), { action: 'REJECT_DESIGN', feedback: 'plain passwords' });
  await commit('b2');
  const end = chance.pick(['left', 'retried', 'done', 'done']);
  if (end === 'left') return;
  if (end === 'retried') {
    await ledger.say(owner, (client, under) => client.retry(id, { error: 'the build broke' }, under));
    await commit('c3');
  }
  await tell(play, id, agent('architect'), { action: 'APPROVE_DESIGN' });
  await tell(play, id, agent('qa'), { action: 'APPROVE_TESTS', artifacts: { test_results: { passed: 1 } } });
  await tell(play, id, PO, { action: 'APPROVE_STORY' });
}

async function generation(play: Play): Promise<void> {
  const { owner } = play;
  const id = await begin(play, 'generation', SERVICE, { user_id: owner.sub });
  await done(play, id, SERVICE, { artifacts: { blueprint_path: 'b.md', working_dir: 'w' } });
  await done(play, id, SERVICE, { artifacts: { constraints_list: 'c.md' } });
  await done(play, id, SERVICE, { artifacts: { verification_plan: 'plan.md' } });
  await approve(play, id, SERVICE); // refused: an agent
  await approve(play, id, owner);
  await done(play, id, SERVICE, { artifacts: { draft: 'd.md', compliance_echo: 'e.md' } });
  await done(play, id, SERVICE, { artifacts: { fast_compliance_result: 'ok' } });
  await Promise.all(VALIDATORS.map((name) => done(play, id, agent(`${name}-validator`))));
  await done(play, id, agent('validation-aggregator'), { artifacts: { final_validation_report: 'r.md' } });
  await done(play, id, SERVICE, { artifacts: { final_report: 'f.md', scene_content: 's.md' } });
}

/** Somebody always does what is to be done now; a lazy writer lets every attempt run out, and is resumed. */
async function drill(play: Play): Promise<void> {
  const { owner, ledger, chance } = play;
  const id = await begin(play, 'drill', SERVICE, { user_id: owner.sub });
  let lazy = chance.next() < 0.3;
  let strict = chance.next() < 0.5;
  for (;;) {
    const { status, current_step } = await ledger.as(owner).details(id);
    if (status === 'completed' || status === 'cancelled') return;
    if (status === 'failed') {
      lazy = false;
      await ledger.say(owner, (client, under) => client.resume(id, {}, under));
    } else if (status === 'waiting_approval') await approve(play, id, owner);
    else if (current_step === 'judge') {
      await done(play, id, agent('judge'), strict ? { outcome: 'fail', feedback: 'too long' } : {});
      strict = false;
    } else if (!lazy || current_step !== 'write')
      await done(play, id, agent(current_step === 'write' ? 'writer' : 'signer'));
    await breathe(chance.between(50, 250));
  }
}

/** Many writers on one instance, then the end of it. */
async function crowd(play: Play): Promise<void> {
  const { owner, ledger } = play;
  const id = await begin(play, 'decision-critic', owner, { params: { decision: 'ship it' } });
  await Promise.all(Array.from({ length: 12 }, (_, n) => tell(play, id, owner, { data: { [`n${n}`]: n } })));
  await ledger.say(owner, (client, under) => client.cancel(id, { reason: 'decided elsewhere' }, under));
}

/** Cancelled while an attempt waits: its execution is to end, too. */
async function givenUp(play: Play): Promise<void> {
  const id = await begin(play, 'drill', play.owner);
  await play.ledger.say(play.owner, (client, under) => client.cancel(id, { reason: 'not needed' }, under));
}

export const PLAYS = { onboarding, delivery, generation, drill, crowd, givenUp } as const;
