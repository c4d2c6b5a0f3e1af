// What the stream's consumers make of a record: a new commit, the closing of a session, or nothing of theirs.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { hashOf } from '../../shared/store/commit-item.ts';
import { describe, expect, it } from 'vitest';
import { closingKey, commitKey, headKey, memberKey, openingKey } from '../../shared/store/keys.ts';
import { sessionItem } from '../../shared/store/session-items.ts';
import { readRecord } from '../../shared/store/stream-record.ts';
import { tombstone } from '../../shared/store/tombstone.ts';
import { NOON } from '../support/play.ts';

const CLOSING = {
  session_name: 'draft',
  owner: 'olga',
  kind: 'committed' as const,
  by: 'olga',
  at: NOON,
  reason: null,
};
const OPENING = {
  session_name: 'draft',
  id: 'x',
  owner: 'olga',
  title: null,
  created_at: NOON,
  idempotency: null,
};

const record = (
  { pk, sk }: { pk: string; sk: string },
  image: Record<string, AttributeValue> = {},
  eventName = 'INSERT',
) => {
  const Keys = { pk: { S: pk }, sk: { S: sk } };
  return { eventName, dynamodb: { Keys, NewImage: { ...Keys, ...image } } };
};
const text = (session: typeof CLOSING | typeof OPENING) => ({ session: { S: sessionItem(session).session } });

describe('a record of the stream', () => {
  it('gives the commit that was written', () => {
    expect(readRecord(record(commitKey('i-1', 7), { commit: { S: '{"seq":7}' } }))).toEqual({
      commit: { seq: 7 },
      hash: hashOf('{"seq":7}'),
    });
  });

  it('gives the closing of a session', () => {
    expect(readRecord(record(closingKey('draft'), text(CLOSING)))).toEqual({ closing: CLOSING });
  });

  it('tells of an instance that was deleted, by the tombstone after its last commit', () => {
    const end = commitKey('i-1', 8);
    expect(readRecord(record(end, tombstone(end, 1)))).toEqual({ erased: 'i-1' });
  });

  it.each([
    ['the opening of a session', record(openingKey('draft'), text(OPENING))],
    ['an instance entered in a session', record(memberKey('draft', 'i-1'))],
    ['a commit that was overwritten', record(commitKey('i-1', 7), { commit: { S: '{}' } }, 'MODIFY')],
    ['something that expired', record(closingKey('draft'), {}, 'REMOVE')],
    ['a listing', record(headKey('i-1'))],
    ['no record at all', {}],
  ])('is nothing where it is %s', (_, given) => {
    expect(readRecord(given)).toBeNull();
  });

  it.each([
    ['a commit', record(commitKey('i-1', 7))],
    ['a commit that is no JSON', record(commitKey('i-1', 7), { commit: { S: '{' } })],
    [
      'an image',
      { ...record(commitKey('i-1', 7)), dynamodb: { Keys: record(commitKey('i-1', 7)).dynamodb.Keys } },
    ],
    ['a closing', record(closingKey('draft'))],
    ['a closing of a known kind', record(closingKey('draft'), { session: { S: '{"kind":"paused"}' } })],
  ])('is refused where there should be %s', (_, given) => {
    expect(() => readRecord(given)).toThrow(/./);
  });
});
