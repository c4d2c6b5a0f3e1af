// Delivery: developer, architect, QA and product owner, each waiting for its role's assignment and acting on it.
// The architect sends the first try back.
import type { Client, Signal, StepgateEvent } from '../../client/node.ts';
import type { Person } from './fresh-server.ts';
import { expectEqual, type Stage, Watcher } from './stage.ts';

const FEEDBACK = 'Passwords are stored as they are. Hash them before they reach the store.';

interface Part extends Person {
  readonly role: string;
  /** What it does, each time it is assigned. */
  readonly acts: readonly (Signal & { readonly words: string })[];
}

const CAST: readonly Part[] = [
  {
    sub: 'agent-dev',
    kind: 'agent',
    role: 'developer',
    acts: [
      {
        words: 'commits a1b2c3',
        action: 'COMMIT_CODE',
        artifacts: { commit_sha: 'a1b2c3', files_changed: ['src/login.ts'] },
      },
      {
        words: 'reads the feedback and commits d4e5f6',
        action: 'COMMIT_CODE',
        artifacts: { commit_sha: 'd4e5f6', files_changed: ['src/login.ts', 'src/hash.ts'] },
      },
    ],
  },
  {
    sub: 'agent-arch',
    kind: 'agent',
    role: 'architect',
    acts: [
      { words: `rejects: "${FEEDBACK}"`, action: 'REJECT_DESIGN', feedback: FEEDBACK },
      { words: 'approves the design', action: 'APPROVE_DESIGN' },
    ],
  },
  {
    sub: 'agent-qa',
    kind: 'agent',
    role: 'qa',
    acts: [
      {
        words: 'ran 42 tests, all passed',
        action: 'APPROVE_TESTS',
        artifacts: { test_results: { passed: 1, total: 42 } },
      },
    ],
  },
  {
    sub: 'pia',
    kind: 'human',
    role: 'po',
    acts: [{ words: 'accepts the story', action: 'APPROVE_STORY' }],
  },
];

export async function playDelivery(stage: Stage) {
  const { server, screen } = stage;
  const olga = server.as({ sub: 'olga', kind: 'human' });
  const watcher = new Watcher(screen);
  screen.title('Delivery', 'developer → architect → qa → po → done, with one rejection on the way');
  let broken: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => (broken = reject));
  const cast = CAST.map((part) => new Actor(part, stage, watcher));
  for (const actor of cast) actor.play().catch(broken);
  await Promise.all(cast.map(({ ready }) => ready));

  const { instance_id } = await olga.start({ workflow_id: 'delivery', subject: 'login' });
  await watcher.watch(olga, instance_id, 'delivery');
  await Promise.race([watcher.theEnd(), failed]);
  for (const actor of cast) actor.leave();
  const { status, current_step, progress, version } = await olga.details(instance_id);
  await watcher.seen(version);
  expectEqual('delivery', [status, current_step, progress.percent], ['completed', 'done', 100]);
  screen.endBar();
  return { client: olga, instance_id, title: 'Delivery', events: watcher.events };
}

/** Waits for its role's assignments, and answers each with its next act. */
class Actor {
  readonly #part: Part;
  readonly #stage: Stage;
  readonly #watcher: Watcher;
  readonly #client: Client;
  readonly #acts: Part['acts'][number][];
  readonly #subscription;

  constructor(part: Part, stage: Stage, watcher: Watcher) {
    this.#part = part;
    this.#stage = stage;
    this.#watcher = watcher;
    this.#client = stage.server.as({ ...part, roles: [part.role] });
    this.#acts = [...part.acts];
    this.#subscription = this.#client.subscribe(`role:${part.role}`, {
      onEvent: (event) => this.#act(event),
    });
  }

  get ready(): Promise<void> {
    return this.#subscription.ready;
  }

  /** Ends when it leaves, or with what went wrong. */
  play(): Promise<void> {
    return this.#subscription.closed;
  }

  leave(): void {
    this.#subscription.close();
  }

  async #act({ type, instance_id, seq, data }: StepgateEvent): Promise<void> {
    const { turn, required_action } = data;
    if (type !== 'workflow.task.assigned' || typeof turn !== 'number') return;
    const { role, sub } = this.#part;
    await this.#watcher.seen(seq);
    const { tasks } = await this.#client.tasks({ role });
    const mine = tasks.some(({ task_id }) => task_id === instance_id) ? ', also in the inbox' : '';
    this.#stage.screen.say(
      sub,
      `is asked to ${typeof required_action === 'string' ? required_action : 'act'}${mine}`,
    );
    await this.#stage.breathe();
    const act = this.#acts.shift();
    if (!act) throw new Error(`${role} was asked once more than the play has lines`);
    const { words, ...signal } = act;
    this.#stage.screen.say(sub, words);
    const { version } = await this.#client.signal(instance_id, { ...signal, turn });
    await this.#watcher.seen(version);
  }
}
