// The load: workflows of every kind, each played to its end by the people and agents it needs.
import type { Person } from './ledger.ts';
import { agent, approve, begin, breathe, cancel, done, type Play, SERVICE, tell } from './play.ts';
import { forked, session } from './plays-apart.ts';

/** Attempts, a judge, back-off, and a deadline past every run: only what happens ends the wait for it. */
export const DRILL = {
  id: 'drill',
  steps: [
    {
      id: 'write',
      agents: ['writer'],
      attempts: { max: 3, timeout_seconds: 1, backoff_seconds: 1, backoff_jitter: 0.5 },
    },
    { id: 'judge', agents: ['judge'], triggers_retry: true },
    { id: 'sign', agents: ['signer'], approval: true, deadline: { seconds: 86_400 } },
  ],
};

const VALIDATORS = ['continuity', 'character', 'dialogue', 'pacing', 'style', 'worldbuilding', 'constraint'];
const PO: Person = { sub: 'pia', roles: ['po'] };
const ASKED = { question: 'Ship it?', options: ['yes', 'no'] };

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
  const { owner } = play;
  const id = await begin(play, 'decision-critic', owner, { params: { decision: 'ship it' } });
  await Promise.all(Array.from({ length: 12 }, (_, n) => tell(play, id, owner, { data: { [`n${n}`]: n } })));
  await cancel(play, id, owner);
}

/** Asked twice, answered twice. */
async function question(play: Play): Promise<void> {
  const { owner, ledger } = play;
  const id = await begin(play, 'decision-critic', owner, { params: { decision: 'ship it' } });
  for (const answer of ['yes', 'no']) {
    await tell(play, id, owner, { action: 'need_input', questions: [ASKED] });
    await ledger.say(owner, (client, under) => client.answer(id, { answers: [answer] }, under));
  }
  await done(play, id, owner);
  await cancel(play, id, owner);
}

/** Two race for a task; whoever has it keeps it alive and gives it back, and a lease that runs out is taken over. */
async function claim(play: Play): Promise<void> {
  const { owner, ledger } = play;
  const id = await begin(play, 'delivery', owner);
  const [ann, ben] = ['ann', 'ben'].map((name) => ({ ...agent('developer'), sub: name }));
  const take = (by: Person | undefined, lease_seconds: number) =>
    ledger.say(by ?? owner, (client, under) => client.claim(id, { lease_seconds }, under));
  const [first] = await Promise.all([take(ann, 600), take(ben, 600)]);
  const [holder, other] = first ? [ann, ben] : [ben, ann];
  if (!holder || !other) return;
  await ledger.say(holder, (client, under) => client.heartbeat(id, { lease_seconds: 600 }, under));
  await tell(play, id, other, { action: 'stay' }); // refused: somebody else's
  await ledger.say(holder, (client, under) => client.release(id, {}, under));
  await take(other, 0.1);
  for (let taken = null; taken === null; await breathe(50)) taken = await take(holder, 600);
  await tell(play, id, other, { action: 'COMMIT_CODE', artifacts: { commit_sha: 'late' } }); // refused: too late
  await tell(play, id, holder, { action: 'COMMIT_CODE', artifacts: { commit_sha: 'a1' } });
}

/** Cancelled while an attempt waits, resumed, and given up for good: its executions are to end, too. */
async function givenUp(play: Play): Promise<void> {
  const id = await begin(play, 'drill', play.owner);
  await cancel(play, id, play.owner);
  await play.ledger.say(play.owner, (client, under) => client.resume(id, {}, under));
  await cancel(play, id, play.owner);
}

export const PLAYS = {
  session,
  onboarding,
  delivery,
  generation,
  drill,
  crowd,
  question,
  claim,
  forked,
  givenUp,
} as const;
