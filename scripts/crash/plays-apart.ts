// Plays that leave the common road: forks, and sessions, which are committed or leave nothing.
import { agent, begin, cancel, type Closed, done, type Play, tell } from './play.ts';

/** Of what has begun: both go on, each for itself. */
export async function forked(play: Play): Promise<void> {
  const { owner } = play;
  const id = await begin(play, 'decision-critic', owner, { params: { decision: 'ship it' } });
  await done(play, id, owner);
  const twin = await fork(play, id);
  await Promise.all([done(play, id, owner), done(play, twin, owner)]);
  for (const one of [id, twin]) await cancel(play, one, owner);
}

async function fork(play: Play, id: string): Promise<string> {
  const { owner, ledger } = play;
  const answer = await ledger.say(owner, (client, under) => client.fork(id, { at: 1 }, under));
  if (answer === null) throw new Error(`${id} was not forked`);
  play.begun(answer.instance_id, owner);
  return answer.instance_id;
}

/** Work in a session, one of it with a clock and one a fork, then the end of it while somebody still works there. */
export async function session(play: Play): Promise<void> {
  const { owner, ledger, chance } = play;
  const how = chance.pick<Closed['how']>(['committed', 'cancelled']);
  const client = ledger.as(owner);
  const { session_name } = await client.openSession({ session_name: `session-of-${owner.sub}` });
  const developer = agent('developer');
  const task = await begin(play, 'delivery', owner, { session_name });
  const instances = [task, await begin(play, 'drill', owner, { session_name }), await fork(play, task)];
  await ledger.say(developer, (by, under) => by.claim(task, { lease_seconds: 600 }, under));
  play.closing({ name: session_name, how, instances });
  const stays = Array.from({ length: 4 }, () => tell(play, task, developer, { action: 'stay' }));
  if (how === 'cancelled') await client.cancelSession(session_name);
  else await client.commitSession(session_name);
  await Promise.all(stays);
  if (how === 'committed') for (const id of instances) await cancel(play, id, owner);
  else if (await tell(play, task, developer, { action: 'stay' }))
    throw new Error(`${task} takes a signal, though its session was cancelled`);
}
