// What both plays need: a server, a screen, a pace, and someone who watches.
import { type Client, StepgateError, type StepgateEvent, type Subscription } from '../../client/node.ts';
import { progressIn } from '../../cli/describe-event.ts';
import type { FreshServer } from './fresh-server.ts';
import type { Screen } from './screen.ts';

export interface Stage {
  readonly server: FreshServer;
  readonly screen: Screen;
  /** A breath between two lines, so that people can follow. */
  readonly breathe: () => Promise<void>;
}

const PATIENCE_MS = 20_000;

/** Shows every event of an instance as it comes in. */
export class Watcher {
  readonly events: StepgateEvent[] = [];
  readonly #screen: Screen;
  readonly #waiting = new Set<() => void>();
  #subscription: Subscription | null = null;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  async watch(client: Client, instance_id: string, title: string): Promise<void> {
    this.#subscription = client.subscribe(`instance:${instance_id}`, {
      after: 0,
      onEvent: (event) => {
        this.events.push(event);
        this.#screen.event(event);
        const progress = progressIn(event);
        if (progress) this.#screen.progress(title, progress.percent, progress.step);
        queueMicrotask(() => this.#waiting.forEach((look) => look())); // once the cursor has moved
      },
    });
    await this.#subscription.ready;
  }

  /** Waits until it is so, or too much time has passed. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    let late: ReturnType<typeof setTimeout> | undefined;
    let look = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        late = setTimeout(() => reject(new Error(`${what} was not seen in time`)), PATIENCE_MS);
        look = () => {
          if (isSo()) resolve();
        };
        this.#waiting.add(look);
        look();
      });
    } finally {
      clearTimeout(late);
      this.#waiting.delete(look);
    }
  }

  /** Every event of every commit up to this one was shown. */
  seen(version: number): Promise<void> {
    return this.until(`commit ${version}`, () => (this.#subscription?.cursor ?? 0) >= version);
  }

  theEnd(): Promise<void> {
    return this.until('the end', () => this.events.some(({ type }) => type === 'workflow.completed'));
  }
}

/** Runs what must be refused, and gives the refusal. */
export async function refused(call: Promise<unknown>): Promise<StepgateError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof StepgateError) return error;
    throw error;
  }
  throw new Error('something was accepted that must be refused');
}

export function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [is, shouldBe] = [JSON.stringify(found), JSON.stringify(expected)];
  if (is !== shouldBe) throw new Error(`${what} is ${is}, not ${shouldBe}`);
}
