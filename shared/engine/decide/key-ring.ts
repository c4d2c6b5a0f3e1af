// The latest idempotency keys of an instance, oldest first: they answer almost every repeat without a request.
import type { IdempotencyKey } from '../model/signal.ts';
import type { State } from '../model/state.ts';

export const KEPT_KEYS = 32;

/** The ring after a commit: whatever is recorded under a key, a violation included, is found again by it. */
export function remember(
  keys: State['keys'],
  idempotency: IdempotencyKey | undefined,
  seq: number,
): State['keys'] {
  if (!idempotency) return keys;
  return [...keys.slice(-(KEPT_KEYS - 1)), [idempotency.key, idempotency.body, seq]];
}
