// An application whose time is moved by hand: a real store, the real state machine on the laptop's Step Functions, and
// the log's commits handed to the clocks' stream consumer as they appear.
import { randomUUID } from 'node:crypto';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { type LocalStepFunctions, startLocalStepFunctions } from '../../local/step-functions/start.ts';
import type { ClockApp } from '../../shared/app/clock.ts';
import { followClocks, type FollowPorts } from '../../shared/app/clock-follow.ts';
import { answerClock, type ClockRequest, readClockRequest } from '../../shared/app/clock-requests.ts';
import { readTold } from '../../shared/app/publish-told.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import type { Actor, Commit, SignalType, State } from '../../shared/engine/index.ts';
import { createExecutions } from '../../shared/store/executions.ts';
import { createTokens } from '../../shared/store/tokens.ts';
import { appOn, type TestApp } from './app.ts';
import { FakeClock } from './fake-clock.ts';
import { clientConfig, freshTables, STORE_KINDS } from './stores.ts';

type Before = (request: ClockRequest) => Promise<void>;

export class ClockWorld {
  readonly clock = new FakeClock();
  readonly app: TestApp & ClockApp & FollowPorts;
  id = '';
  /** Is told of each request of the state machine before it is answered. */
  before: Before = async () => {};
  #seen = 0;
  #answered: ClockRequest['op'] | null = null;
  readonly #table = `executions-${randomUUID()}`;
  #local: LocalStepFunctions | undefined;
  #sfn: SFNClient | undefined;

  private constructor(app: TestApp, table: string) {
    const clock = this.clock;
    const executions = () => createExecutions(this.sfn, this.local.state_machine);
    this.app = {
      ...app,
      chance: { ...app.chance, now: () => clock.iso },
      tokens: createTokens(DynamoDBDocumentClient.from(app.client), table),
      executions: {
        start: (id) => executions().start(id),
        stop: (id, cause) => executions().stop(id, cause),
        release: (token) => executions().release(token),
        beat: (token) => executions().beat(token),
      },
    };
  }

  static async open(more: Readonly<Record<string, unknown>> = {}): Promise<ClockWorld> {
    const tables = await freshTables(STORE_KINDS[0] ?? 'dynoxide');
    const world = new ClockWorld(appOn(tables, more), tables.table);
    await world.up();
    return world;
  }

  /** Step Functions starts, or starts again. */
  async up(): Promise<number> {
    this.#local = await startLocalStepFunctions({
      client: this.app.client,
      table: this.#table,
      clock: this.clock,
      random: () => 1,
      invoke: async (_, payload) => {
        const request = readClockRequest(payload);
        await this.before(request);
        const answer = await answerClock(this.app, request);
        this.#answered = request.op;
        return answer;
      },
    });
    this.#sfn = new SFNClient({ ...clientConfig(this.#local.endpoint), maxAttempts: 1 });
    return this.#local.takeUp();
  }

  async down(): Promise<void> {
    this.#sfn?.destroy();
    await this.#local?.stop();
  }

  get local(): LocalStepFunctions {
    if (!this.#local) throw new Error('Step Functions is not up');
    return this.#local;
  }

  get sfn(): SFNClient {
    if (!this.#sfn) throw new Error('Step Functions is not up');
    return this.#sfn;
  }

  async start(workflow_id: string, caller: Actor, more: object = {}): Promise<void> {
    const body = { workflow_id, ...more };
    this.id = (await startInstance(this.app, { body, caller })).instance_id;
  }

  /** Says something, and lets the clocks follow. */
  async say(caller: Actor, type: SignalType, body: object) {
    const answer = await tell(this.app, { instance_id: this.id, type, body, caller });
    await this.follow();
    return answer;
  }

  async log(): Promise<readonly Commit[]> {
    return (await this.app.log.after(this.id, 0, 1_000)).map(({ commit }) => commit);
  }

  /** Hands new commits to the stream consumer; all of them with `again`. */
  async follow(again = false): Promise<void> {
    const commits = (await this.log()).slice(again ? 0 : this.#seen);
    this.#seen += again ? 0 : commits.length;
    const failed = await followClocks(
      this.app,
      commits.map((commit) => ({ told: readTold(commit), commit })),
      this.clock.iso,
    );
    if (failed[0]) throw failed[0].error;
  }

  /** Follows the log until it is so. */
  until(what: string, is: (state: State) => boolean): Promise<State> {
    return vi.waitFor(
      async () => {
        await this.follow();
        const entry = await this.app.log.latest(this.id);
        if (entry && is(entry.commit.state)) return entry.commit.state;
        throw new Error(`${what}: not so yet`);
      },
      { timeout: 5_000, interval: 5 },
    );
  }

  /** Until a timer is set for that instant. */
  timer(at: string): Promise<void> {
    return vi.waitFor(
      async () => {
        await this.follow();
        const { timers } = this.clock;
        if (!timers.includes(at)) throw new Error(`no timer at ${at}, but at ${timers.join(', ')}`);
      },
      { timeout: 5_000, interval: 5 },
    );
  }

  /** Until the clock waits with its token: what changes from here on, it is the stream that says so. */
  handedOver(): Promise<void> {
    return vi.waitFor(
      () => {
        if (this.#answered !== 'await') throw new Error(`the last request was ${this.#answered}`);
      },
      { timeout: 5_000, interval: 5 },
    );
  }

  /** Such a timer is waited for, and let go off. */
  async reach(at: string): Promise<void> {
    await this.timer(at);
    this.clock.advance((Date.parse(at) - this.clock.now()) / 1000);
  }

  in(seconds: number): string {
    return new Date(this.clock.now() + seconds * 1000).toISOString();
  }

  pass(seconds: number): Promise<void> {
    return this.reach(this.in(seconds));
  }

  /** The executions by status, as soon as they are as expected. */
  async executions(): Promise<readonly string[]> {
    const { executions = [] } = await this.sfn.send(
      new ListExecutionsCommand({ stateMachineArn: this.local.state_machine }),
    );
    return executions.map(({ status }) => String(status)).toSorted();
  }

  /** The data of all events of one type, oldest first. */
  async told(type: string) {
    return (await this.log()).flatMap(({ events }) =>
      events.filter((event) => event.type === type).map(({ data }) => data),
    );
  }
}
