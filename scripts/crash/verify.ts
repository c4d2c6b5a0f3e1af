// What must be true afterwards, read from the store itself and through the API. Each finding is a sentence.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TABLES } from '../../local/environment.ts';
import { openJournal } from '../../local/step-functions/journal.ts';
import { STATE_MACHINE_ARN } from '../../local/step-functions/start.ts';
import { idempotencyOf } from '../../shared/app/idempotency.ts';
import { headOf } from '../../shared/app/project.ts';
import type { Commit } from '../../shared/engine/index.ts';
import type { Head } from '../../shared/ports.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { createDefinitions } from '../../shared/store/definitions.ts';
import { createLog } from '../../shared/store/log.ts';
import type { Acknowledged, Ledger } from './ledger.ts';
import type { Watch } from './watch.ts';

export interface Verdict {
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

const PATIENCE_MS = 60_000;
const ADMIN = { sub: 'ada', roles: ['admin'] };
const PAGE = 100;

export async function verify(endpoint: string, ledger: Ledger, watch: Watch): Promise<Verdict> {
  const client = new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  try {
    const settled = await settledExecutions(client);
    const logs = await logsOf(client, [...watch.heard.keys()]);
    const projections = await projected(client, ledger, logs);
    const events = await heardAll(watch, logs);
    const proofs = await replayed(ledger, [...logs.keys()]);
    const commits = [...logs.values()].flat();
    return {
      problems: [
        ...acknowledgedOnce(ledger.acknowledged, logs),
        ...gapless(logs),
        ...proofs,
        ...events,
        ...projections.problems,
        ...settled.problems,
        ...watch.broken,
      ],
      counts: {
        instances: logs.size,
        commits: commits.length,
        acknowledged: ledger.acknowledged.length,
        events: commits.reduce((sum, commit) => sum + commit.events.length, 0),
        in_lists: projections.listed,
        in_inboxes: projections.waiting,
        ...settled.counts,
      },
    };
  } finally {
    client.destroy();
  }
}

type Logs = ReadonlyMap<string, readonly Commit[]>;

async function logsOf(client: DynamoDBClient, ids: readonly string[]): Promise<Logs> {
  const log = createLog(client, TABLES.table);
  const found = new Map<string, readonly Commit[]>();
  for (const id of ids) {
    const commits: Commit[] = [];
    for (let some = PAGE; some === PAGE; ) {
      const page = await log.after(id, commits.at(-1)?.seq ?? 0, PAGE);
      commits.push(...page.map(({ commit }) => commit));
      some = page.length;
    }
    found.set(id, commits);
  }
  return found;
}

/** By the key it was said under: in the log once, at the version that was answered. */
export function acknowledgedOnce(acknowledged: readonly Acknowledged[], logs: Logs): string[] {
  return acknowledged.flatMap(({ instance_id, version, sub, key }) => {
    const hashed = idempotencyOf(key, sub, null)?.key;
    const found = (logs.get(instance_id) ?? [])
      .filter(({ signal }) => signal.idempotency?.key === hashed)
      .map(({ seq }) => seq);
    return found.length === 1 && found[0] === version
      ? []
      : [`${instance_id}: ${key} was acknowledged as ${version}, and is in the log as [${found.join(', ')}]`];
  });
}

export function gapless(logs: Logs): string[] {
  return [...logs].flatMap(([id, commits]) =>
    commits.length > 0 && commits.every(({ seq }, i) => seq === i + 1)
      ? []
      : [`${id}: its log has the commits ${commits.map(({ seq }) => seq).join(', ')}`],
  );
}

async function replayed(ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const id of ids)
    for (let after: number | null = 0; after !== null; ) {
      const proof = await ledger.as(ADMIN).replay(id, { after, limit: PAGE });
      if (!proof.ok) problems.push(`${id} does not replay: ${JSON.stringify(proof.first_problem)}`);
      after = proof.next === null ? null : Number(proof.next);
    }
  return problems;
}

async function heardAll({ heard }: Watch, logs: Logs): Promise<string[]> {
  const wrong = (): string[] =>
    [...logs].flatMap(([id, commits]) => {
      const told = commits.flatMap(({ seq, events }) => events.map((_, i) => `${id}:${seq}.${i}`)).join(' ');
      const got = (heard.get(id) ?? []).join(' ');
      return told === got ? [] : [`${id}: its subscriber heard [${got}] of [${told}]`];
    });
  return eventually(
    () => Promise.resolve(wrong()),
    ({ length }) => length === 0,
  );
}

async function projected(client: DynamoDBClient, ledger: Ledger, logs: Logs) {
  const expected = await headsIn(client, logs);
  const roles = new Set(expected.flatMap(({ assigned_to }) => assigned_to));
  let waiting = 0;
  const problems = await eventually(
    async () => {
      const listed = new Map((await allListed(ledger)).map((head) => [head.instance_id, head]));
      const wrong = expected.flatMap((head) => {
        const [want, got] = [
          JSON.stringify(sorted(head)),
          JSON.stringify(sorted(listed.get(head.instance_id))),
        ];
        return want === got ? [] : [`${head.instance_id} is listed as ${got}, and its log says ${want}`];
      });
      if (listed.size !== expected.length) wrong.push(`${listed.size} are listed of ${expected.length}`);
      waiting = 0;
      for (const role of roles) {
        const there = (await inbox(ledger, role)).toSorted().join(' ');
        const ids = expected
          .filter((head) => head.assigned_to.includes(role))
          .map((head) => head.instance_id);
        waiting += ids.length;
        if (there !== ids.toSorted().join(' '))
          wrong.push(`the inbox of ${role} holds [${there}], not [${ids.join(' ')}]`);
      }
      return wrong;
    },
    ({ length }) => length === 0,
  );
  return { problems, listed: expected.length, waiting };
}

const sorted = (head: Head | undefined): unknown =>
  head && Object.entries(head).toSorted(([a], [b]) => a.localeCompare(b));

async function headsIn(client: DynamoDBClient, logs: Logs): Promise<Head[]> {
  const builtIn = Object.fromEntries([...builtInWorkflows()].map(([id, { source }]) => [id, source]));
  const definitions = createDefinitions(DynamoDBDocumentClient.from(client), TABLES.table, builtIn);
  const heads: Head[] = [];
  for (const [id, commits] of logs) {
    const state = commits.at(-1)?.state;
    const workflow = state && (await definitions.version(state.workflow_id, state.definition));
    if (!workflow) throw new Error(`${id} has no log, or no definition`);
    heads.push(headOf(workflow, state, 'everywhere'));
  }
  return heads;
}

async function allListed(ledger: Ledger): Promise<Head[]> {
  const heads: Head[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await ledger.as(ADMIN).list({ limit: PAGE, ...(next ? { next } : {}) });
    heads.push(...page.items);
    next = page.next;
  }
  return heads;
}

async function inbox(ledger: Ledger, role: string): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const page = await ledger.as(ADMIN).tasks({ role, limit: PAGE, ...(next ? { next } : {}) });
    ids.push(...page.tasks.map(({ task_id }) => task_id));
    next = page.next;
  }
  return ids;
}

/** None runs any more, and none has given up. */
async function settledExecutions(client: DynamoDBClient) {
  const journal = await openJournal(client);
  const all = await eventually(
    () => journal.all(STATE_MACHINE_ARN),
    (executions) => executions.every(({ status }) => status !== 'RUNNING'),
  );
  const counts: Record<string, number> = { executions: all.length };
  for (const { status } of all) counts[`executions_${status}`] = (counts[`executions_${status}`] ?? 0) + 1;
  const problems = all
    .filter(({ status }) => status !== 'SUCCEEDED' && status !== 'ABORTED')
    .map(({ name, status }) => `execution ${name} is ${status}`);
  return { counts, problems };
}

/** The answer that fits, or the last one. */
async function eventually<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (fits(answer) || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
