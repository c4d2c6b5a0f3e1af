// A tombstone holds a key whose content is gone, so that nothing late is written there; the store expires it.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { TTL } from '../names.ts';

type Item = Record<string, AttributeValue>;

const ERASED = 'erased';

export const tombstone = ({ pk, sk }: { pk: string; sk: string }, expires_at: number): Item => ({
  pk: { S: pk },
  sk: { S: sk },
  [ERASED]: { BOOL: true },
  [TTL]: { N: String(expires_at) },
});

export const isTombstone = (item: Item): boolean => item[ERASED]?.BOOL === true;
