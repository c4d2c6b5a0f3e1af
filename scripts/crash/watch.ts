// Subscribers: one for each instance, from its first commit on, across every loss of the line.
import type { StepgateEvent } from '../../client/node.ts';
import type { Ledger, Person } from './ledger.ts';

export class Watch {
  /** The ids of the events heard of each instance, in the order they were handed on. */
  readonly heard = new Map<string, string[]>();
  readonly broken: string[] = [];
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  follow(instance_id: string, owner: Person): void {
    const ids: string[] = [];
    this.heard.set(instance_id, ids);
    const onEvent = ({ id }: StepgateEvent): void => void ids.push(id);
    const subscription = this.#ledger.as(owner).subscribe(`instance:${instance_id}`, { after: 0, onEvent });
    subscription.closed.catch((error: unknown) => this.broken.push(`${instance_id}: ${String(error)}`));
  }
}
