// A commit as an item: limits, the hash chain, and what does not parse.
import { describe, expect, it } from 'vitest';
import { begin, load, type Commit } from '../../shared/engine/index.ts';
import { Fault } from '../../shared/faults.ts';
import { entryOf, hashOf, seal } from '../../shared/store/commit-item.ts';
import { NOON, OWNER } from '../support/play.ts';

const workflow = load({ id: 'w', steps: [{ id: 'a', agents: ['x'] }] });
const { state, events, verdict } = begin(workflow, { instance_id: 'i', workflow_id: 'w' }, OWNER, NOON);
const commit = (data: object = {}): Omit<Commit, 'previous'> => ({
  id: 'c-1',
  seq: 1,
  at: NOON,
  actor: OWNER,
  signal: { type: 'start', body: { instance_id: 'i', workflow_id: 'w' } },
  facts: {},
  events,
  state: { ...state, shared: { ...data } },
  verdict,
});
/** The code of what is thrown; null if nothing is. */
function refusal(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}
const kilobytes = (n: number) => ({ text: 'x'.repeat(n * 1024) });

describe('a commit as an item', () => {
  it('is read back as it was written, with the hash of its text', () => {
    const { entry, item } = seal(commit(), 'hash of the one before');
    expect(entryOf(item)).toEqual(entry);
    expect(entry.hash).toBe(hashOf(item.commit?.S ?? ''));
    expect(entry.commit.previous).toBe('hash of the one before');
  });

  it('carries its idempotency key for the index, and none without one', () => {
    const keyed = { ...commit(), signal: { ...commit().signal, idempotency: { key: 'k', body: 'b' } } };
    expect(seal(keyed, '').item.idempotency).toEqual({ S: 'k' });
    expect(seal(commit(), '').item).not.toHaveProperty('idempotency');
  });

  it.each([
    ['a state of 290 KB fits', kilobytes(290), null],
    ['a state of 300 KB with its other fields does not', kilobytes(300), 'state_too_large'],
    ['what counts is bytes, not characters', { text: 'я'.repeat(200 * 1024) }, 'state_too_large'],
  ])('%s', (_, data, code) => {
    expect(refusal(() => seal(commit(data), ''))).toBe(code);
  });

  it('that fits as a state but not with the signal it holds is refused too', () => {
    const large = { ...commit(kilobytes(280)), signal: { type: 'start', body: kilobytes(200) } };
    expect(refusal(() => seal(large, ''))).toBe('state_too_large');
  });

  it('is parsed when it is read: a changed shape does not pass', () => {
    const { item } = seal(commit(), '');
    const broken = { ...item, commit: { S: (item.commit?.S ?? '').replace('"in_progress"', '"flying"') } };
    expect(() => entryOf(broken)).toThrow('Invalid');
    expect(() => entryOf({})).toThrow('holds no commit');
  });
});
