// Subscribers: one for each instance, from its first commit on, across every loss of the line.
import type { StepgateEvent } from '../../client/node.ts';
import type { Ledger, Person } from './ledger.ts';
import type { Closed } from './play.ts';

export class Watch {
  /** The ids of the events heard of each instance, in the order they were handed on. */
  readonly heard = new Map<string, string[]>();
  readonly broken: string[] = [];
  readonly closed: Closed[] = [];
  readonly #ledger: Ledger;
  readonly #dropped = new Set<string>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** A session is about to be closed. What is cancelled ceases to exist, for its subscribers, too. */
  closing(session: Closed): void {
    this.closed.push(session);
    if (session.how === 'committed') return;
    for (const id of session.instances) {
      this.#dropped.add(id);
      this.heard.delete(id);
    }
  }

  follow(instance_id: string, owner: Person): void {
    const ids: string[] = [];
    this.heard.set(instance_id, ids);
    const onEvent = ({ id }: StepgateEvent): void => void ids.push(id);
    const subscription = this.#ledger.as(owner).subscribe(`instance:${instance_id}`, { after: 0, onEvent });
    subscription.closed.catch((error: unknown) => {
      if (!this.#dropped.has(instance_id)) this.broken.push(`${instance_id}: ${String(error)}`);
    });
  }
}
