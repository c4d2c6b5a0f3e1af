// What must be true afterwards, read from the store itself and through the API.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { TABLES } from '../../local/environment.ts';
import { openJournal } from '../../local/step-functions/journal.ts';
import { STATE_MACHINE_ARN } from '../../local/step-functions/start.ts';
import { headOf } from '../../shared/app/project.ts';
import type { Commit } from '../../shared/engine/index.ts';
import type { Head } from '../../shared/ports.ts';
import { builtInWorkflows } from '../../shared/reading/built-in.ts';
import { createDefinitions } from '../../shared/store/definitions.ts';
import { createLog } from '../../shared/store/log.ts';
import {
  acknowledgedOnce,
  gapless,
  heardOnce,
  inInbox,
  leftBehind,
  listedAs,
  type Logs,
  saidOnce,
  sameIds,
  unsettled,
  waitingFor,
} from './checks.ts';
import type { Ledger } from './ledger.ts';
import type { Closed } from './play.ts';
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
    const sessions = await closedSessions(client, ledger, watch.closed);
    const events = await untilRight(() => Promise.resolve(heardOnce(watch.heard, logs)));
    const proofs = await replayed(ledger, [...logs.keys()]);
    const commits = [...logs.values()].flat();
    const acknowledged = ledger.acknowledged.filter((one) => !sessions.cancelled.has(one.instance_id));
    return {
      problems: [
        ...acknowledgedOnce(acknowledged, logs),
        ...saidOnce(logs),
        ...gapless(logs),
        ...proofs,
        ...events,
        ...projections.problems,
        ...sessions.problems,
        ...settled.problems,
        ...watch.broken,
      ],
      counts: {
        instances: logs.size,
        commits: commits.length,
        acknowledged: acknowledged.length,
        events: commits.reduce((sum, commit) => sum + commit.events.length, 0),
        in_lists: projections.listed,
        in_inboxes: projections.waiting,
        ...sessions.counts,
        ...settled.counts,
      },
    };
  } finally {
    client.destroy();
  }
}

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

async function projected(client: DynamoDBClient, ledger: Ledger, logs: Logs) {
  const expected = await headsIn(client, logs);
  const roles = [...new Set(expected.flatMap(({ assigned_to }) => assigned_to))];
  const problems = await untilRight(async () => {
    const wrong = listedAs(expected, await allListed(ledger));
    for (const role of roles) wrong.push(...inInbox(role, expected, await inbox(ledger, role)));
    return wrong;
  });
  const waiting = roles.reduce((sum, role) => sum + waitingFor(role, expected).length, 0);
  return { problems, listed: expected.length, waiting };
}

async function headsIn(client: DynamoDBClient, logs: Logs): Promise<Head[]> {
  const builtIn = Object.fromEntries([...builtInWorkflows()].map(([id, { source }]) => [id, source]));
  const definitions = createDefinitions(DynamoDBDocumentClient.from(client), TABLES.table, builtIn);
  const heads: Head[] = [];
  for (const [id, commits] of logs) {
    const state = commits.at(-1)?.state;
    if (state === undefined) continue; // said of it elsewhere: its log does not begin
    const workflow = await definitions.version(state.workflow_id, state.definition);
    if (!workflow) throw new Error(`${id} has no definition`);
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

/** Committed ones show all that was in them; of cancelled ones nothing is left in the table that does not expire. */
async function closedSessions(client: DynamoDBClient, ledger: Ledger, closed: readonly Closed[]) {
  const cancelled = closed.filter(({ how }) => how === 'cancelled').flatMap(({ instances }) => instances);
  const problems = await untilRight(async () => {
    const wrong = leftBehind(cancelled, await stored(client));
    for (const { name, how, instances } of closed) {
      const { status, instances: shown } = await ledger.as(ADMIN).session(name, { limit: PAGE });
      const ids = shown.map(({ instance_id }) => instance_id);
      if (status !== how || !sameIds(ids, how === 'committed' ? instances : []))
        wrong.push(`the session ${name} is ${status} with [${ids.join(' ')}], not ${how}`);
    }
    return wrong;
  });
  const counts = { sessions: closed.length, cancelled_with_sessions: cancelled.length };
  return { problems, counts, cancelled: new Set(cancelled) };
}

async function stored(client: DynamoDBClient) {
  const items: { text: string; expires: boolean }[] = [];
  const input = { TableName: TABLES.table, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: DynamoDBDocumentClient.from(client) }, input))
    items.push(...Items.map((item) => ({ text: JSON.stringify(item), expires: 'ttl' in item })));
  return items;
}

async function settledExecutions(client: DynamoDBClient) {
  const journal = await openJournal(client);
  const all = await eventually(
    () => journal.all(STATE_MACHINE_ARN),
    (executions) => executions.every(({ status }) => status !== 'RUNNING'),
  );
  const counts: Record<string, number> = { executions: all.length };
  for (const { status } of all) counts[`executions_${status}`] = (counts[`executions_${status}`] ?? 0) + 1;
  return { counts, problems: unsettled(all) };
}

const untilRight = (ask: () => Promise<string[]>): Promise<string[]> =>
  eventually(ask, ({ length }) => length === 0);

/** The answer that fits, or the last one. */
async function eventually<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (fits(answer) || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
