// One play of the load: who takes part, and what they can say.
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
  /** Said before a session is closed: what was in it, and what becomes of that. */
  readonly closing: (session: Closed) => void;
}

export interface Closed {
  readonly name: string;
  readonly how: 'committed' | 'cancelled';
  readonly instances: readonly string[];
}

export const agent = (role: string): Person => ({ sub: `agent-${role}`, roles: [role], kind: 'agent' });
export const SERVICE: Person = { sub: 'service', kind: 'agent' };
export const breathe = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function begin(play: Play, workflow_id: string, by: Person, more: object = {}): Promise<string> {
  const answer = await play.ledger.say(by, (client, under) => client.start({ workflow_id, ...more }, under));
  if (answer === null) throw new Error(`${workflow_id} did not start`);
  play.begun(answer.instance_id, play.owner);
  return answer.instance_id;
}

export const tell = (play: Play, id: string, by: Person, signal: Signal) =>
  play.ledger.say(by, (client, under) => client.signal(id, signal, under));
export const done = (play: Play, id: string, by: Person, more: Signal = {}) =>
  tell(play, id, by, { action: 'complete_step', ...more });
export const approve = (play: Play, id: string, by: Person) =>
  play.ledger.say(by, (client, under) => client.approve(id, { approved: true }, under));
export const cancel = (play: Play, id: string, by: Person) =>
  play.ledger.say(by, (client, under) => client.cancel(id, { reason: 'decided elsewhere' }, under));
