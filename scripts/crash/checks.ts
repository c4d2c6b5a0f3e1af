// What is wrong, judged from what was read: each finding is a sentence. Nothing here asks or waits.
import { idempotencyOf } from '../../shared/app/idempotency.ts';
import type { Commit } from '../../shared/engine/index.ts';
import type { Head } from '../../shared/ports.ts';
import type { Acknowledged } from './ledger.ts';

export type Logs = ReadonlyMap<string, readonly Commit[]>;

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

/** Also what was never answered, and also in two logs: nothing said under one key counts twice. */
export function saidOnce(logs: Logs): string[] {
  const first = new Map<string, string>();
  const twice: string[] = [];
  for (const [id, commits] of logs)
    for (const { seq, signal } of commits) {
      const key = signal.idempotency?.key;
      if (key === undefined) continue;
      const here = `commit ${seq} of ${id}`;
      const there = first.get(key);
      if (there === undefined) first.set(key, here);
      else twice.push(`${here} was said under the same key as ${there}`);
    }
  return twice;
}

export function gapless(logs: Logs): string[] {
  return [...logs].flatMap(([id, commits]) =>
    commits.length > 0 && commits.every(({ seq }, i) => seq === i + 1)
      ? []
      : [`${id}: its log has the commits ${commits.map(({ seq }) => seq).join(', ')}`],
  );
}

/** Every event of its log, once and in order, by its id. */
export function heardOnce(heard: ReadonlyMap<string, readonly string[]>, logs: Logs): string[] {
  return [...logs].flatMap(([id, commits]) => {
    const told = commits.flatMap(({ seq, events }) => events.map((_, i) => `${id}:${seq}.${i}`)).join(' ');
    const got = (heard.get(id) ?? []).join(' ');
    return told === got ? [] : [`${id}: its subscriber heard [${got}] of [${told}]`];
  });
}

export function listedAs(expected: readonly Head[], listed: readonly Head[]): string[] {
  const there = new Map(listed.map((head) => [head.instance_id, head]));
  const wrong = expected.flatMap((head) => {
    const [want, got] = [textOf(head), textOf(there.get(head.instance_id))];
    return want === got ? [] : [`${head.instance_id} is listed as ${got}, and its log says ${want}`];
  });
  return listed.length === expected.length
    ? wrong
    : [...wrong, `${listed.length} are listed of ${expected.length}`];
}

const textOf = (head: Head | undefined): string =>
  JSON.stringify(head && Object.entries(head).toSorted(([a], [b]) => a.localeCompare(b)));

export const waitingFor = (role: string, heads: readonly Head[]): string[] =>
  heads.filter(({ assigned_to }) => assigned_to.includes(role)).map(({ instance_id }) => instance_id);

export function inInbox(role: string, expected: readonly Head[], there: readonly string[]): string[] {
  const ids = waitingFor(role, expected);
  return sameIds(ids, there)
    ? []
    : [`the inbox of ${role} holds [${there.join(' ')}], not [${ids.join(' ')}]`];
}

export const sameIds = (some: readonly string[], others: readonly string[]): boolean =>
  some.toSorted().join(' ') === others.toSorted().join(' ');

/** Of what was cancelled with its session only what expires may be left. */
export function leftBehind(
  cancelled: readonly string[],
  stored: readonly { readonly text: string; readonly expires: boolean }[],
): string[] {
  return stored.flatMap(({ text, expires }) => {
    const of = expires ? undefined : cancelled.find((id) => text.includes(id));
    return of === undefined ? [] : [`${of} was cancelled with its session, and left ${text.slice(0, 200)}`];
  });
}

/** None runs any more, and none has given up. */
export const unsettled = (executions: readonly { readonly name: string; readonly status: string }[]) =>
  executions
    .filter(({ status }) => status !== 'SUCCEEDED' && status !== 'ABORTED')
    .map(({ name, status }) => `execution ${name} is ${status}`);
