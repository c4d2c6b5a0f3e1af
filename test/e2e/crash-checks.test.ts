// What the crash test looks for it finds: each of its checks, on a run in which just that is wrong.
import { describe, expect, it } from 'vitest';
import * as checks from '../../scripts/crash/checks.ts';
import { idempotencyOf } from '../../shared/app/idempotency.ts';
import type { Commit } from '../../shared/engine/index.ts';
import type { Head } from '../../shared/ports.ts';

/** What the checks look at of a commit. */
const commit = (seq: number, key: string, events = 2): Commit =>
  ({
    seq,
    signal: { type: 'signal', body: {}, idempotency: idempotencyOf(key, 'ann', null) },
    events: Array.from({ length: events }, () => ({ type: 'workflow.reminder', data: {} })),
  }) as unknown as Commit;
const log = (...commits: Commit[]) => new Map([['a', commits]]);
const LOG = log(commit(1, 's'), commit(2, 'k', 1));

describe('of what was acknowledged', () => {
  const acknowledged = [{ instance_id: 'a', version: 2, sub: 'ann', key: 'k' }];
  it.each([
    ['nothing, where all is well', LOG, 0],
    ['a signal that is gone', log(commit(1, 's')), 1],
    ['one that is there twice', log(commit(1, 's'), commit(2, 'k'), commit(3, 'k')), 1],
    ['one that is somewhere else', log(commit(1, 'k'), commit(2, 's')), 1],
    ['one whose whole log is gone', new Map(), 1],
  ])('%s', (_, logs, found) => {
    expect(checks.acknowledgedOnce(acknowledged, logs)).toHaveLength(found);
  });
});

it.each([
  ['nothing, where all is well', LOG, 0],
  ['what is in one log twice', log(commit(1, 'k'), commit(2, 'k')), 1],
  ['what is in two logs', new Map([...LOG, ['b', [commit(1, 's')]]]), 1],
])('of what was said under one key: %s', (_, logs, found) => {
  expect(checks.saidOnce(logs)).toHaveLength(found);
});

it.each([
  ['no gap, where there is none', LOG, 0],
  ['a gap', log(commit(1, 's'), commit(3, 'k')), 1],
  ['a log that does not begin', log(commit(2, 's')), 1],
  ['no log at all', log(), 1],
])('of the numbers: %s', (_, logs, found) => {
  expect(checks.gapless(logs)).toHaveLength(found);
});

it.each([
  ['nothing, where all is well', ['a:1.0', 'a:1.1', 'a:2.0'], 0],
  ['one that is missing', ['a:1.0', 'a:2.0'], 1],
  ['the last one missing', ['a:1.0', 'a:1.1'], 1],
  ['one that came twice', ['a:1.0', 'a:1.1', 'a:1.1', 'a:2.0'], 1],
  ['two that changed places', ['a:1.1', 'a:1.0', 'a:2.0'], 1],
  ['one that is of no commit', ['a:1.0', 'a:1.1', 'a:2.0', 'a:3.0'], 1],
  ['that nothing was heard', [], 1],
])('of the events: %s', (_, ids, found) => {
  expect(checks.heardOnce(new Map([['a', ids]]), LOG)).toHaveLength(found);
});

describe('of lists and inboxes', () => {
  const head = (instance_id: string, version: number, ...assigned_to: string[]) =>
    ({ instance_id, version, assigned_to }) as unknown as Head;
  const heads = [head('a', 2, 'qa'), head('b', 1)];

  it.each([
    ['nothing, where all is well', [head('b', 1), head('a', 2, 'qa')], 0],
    ['one that is behind its log', [head('a', 1, 'qa'), head('b', 1)], 1],
    ['one that waits for somebody else', [head('a', 2, 'po'), head('b', 1)], 1],
    ['one that is not listed', [head('a', 2, 'qa')], 2],
    ['one that nobody started', [...heads, head('c', 1)], 1],
    ['one that is listed twice', [...heads, head('b', 1)], 1],
  ])('%s', (_, listed, found) => {
    expect(checks.listedAs(heads, listed)).toHaveLength(found);
  });

  it.each([
    ['nothing, where all is well', ['a'], 0],
    ['a task that is missing', [], 1],
    ['a task that is nobody’s', ['a', 'b'], 1],
    ['a task that is there twice', ['a', 'a'], 1],
  ])('%s in an inbox', (_, there, found) => {
    expect(checks.inInbox('qa', heads, there)).toHaveLength(found);
  });
});

it.each([
  ['nothing, where only what expires is left', [{ text: '{"pk":"W#gone"}', expires: true }], 0],
  ['nothing, where something else stays', [{ text: '{"pk":"W#other"}', expires: false }], 0],
  ['what stays of it', [{ text: '{"pk":"U#ann","instance_id":"gone"}', expires: false }], 1],
])('of a cancelled session: %s', (_, stored, found) => {
  expect(checks.leftBehind(['gone'], stored)).toHaveLength(found);
});

it.each([
  ['SUCCEEDED', 0],
  ['ABORTED', 0],
  ['RUNNING', 1],
  ['FAILED', 1],
  ['TIMED_OUT', 1],
])('of an execution that is %s: %i', (status, found) => {
  expect(checks.unsettled([{ name: 'e', status }])).toHaveLength(found);
});
