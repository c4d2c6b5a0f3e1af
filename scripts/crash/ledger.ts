// What was acknowledged to whom: every write under a key of its own, asked until it is answered.
import {
  type Answer,
  type Client,
  createClient,
  StepgateError,
  type WriteOptions,
} from '../../client/node.ts';
import { issueToken } from '../../local/issuer.ts';

export interface Acknowledged {
  readonly instance_id: string;
  readonly version: number;
  readonly sub: string;
  readonly key: string;
}

export interface Person {
  readonly sub: string;
  readonly roles?: readonly string[];
  readonly kind?: 'human' | 'agent';
}

/** Says something under the key it is given. */
type Say = (client: Client, under: WriteOptions) => Promise<Answer>;

/** Servers that are being brought back are waited for. */
const PATIENT = { tries: 2_000, timeout_ms: 10_000 };
const TIMING = { backoff: { first_ms: 20, most_ms: 250 }, retry: { first_ms: 20, most_ms: 250 } };

export class Ledger {
  readonly acknowledged: Acknowledged[] = [];
  /** How often each refusal was heard. */
  readonly refused: Record<string, number> = {};
  readonly #server: { readonly url: string; readonly data_dir: string };
  readonly #clients = new Map<string, Client>();
  #said = 0;

  constructor(server: { readonly url: string; readonly data_dir: string }) {
    this.#server = server;
  }

  as({ sub, roles = [], kind = 'human' }: Person): Client {
    const name = JSON.stringify([sub, roles, kind]);
    const known = this.#clients.get(name);
    if (known) return known;
    const { url, data_dir } = this.#server;
    const token = () => issueToken(data_dir, { sub, roles, kind });
    const client = createClient({ url, token, ...PATIENT, timing: TIMING });
    this.#clients.set(name, client);
    return client;
  }

  /** Null if it was refused for good. */
  async say(person: Person, say: Say): Promise<Answer | null> {
    const key = `crash-${++this.#said}`;
    try {
      const answer = await say(this.as(person), { idempotency_key: key });
      const { instance_id, version } = answer;
      this.acknowledged.push({ instance_id, version, sub: person.sub, key });
      return answer;
    } catch (error) {
      if (!(error instanceof StepgateError) || error.retryable) throw error;
      this.refused[error.code] = (this.refused[error.code] ?? 0) + 1;
      return null;
    }
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}
