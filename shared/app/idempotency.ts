// Idempotency keys: hashed with their caller, so that one caller's key says nothing about another's.
import { createHash } from 'node:crypto';
import { canonical, type IdempotencyKey, plainJson } from '../engine/index.ts';
import { Fault } from '../faults.ts';

const MAX_LENGTH = 255;

/** `said`: the whole request, so that the same key with another body is noticed. May be anything yet. */
export function idempotencyOf(
  key: string | undefined,
  sub: string,
  said: readonly unknown[] | null,
): IdempotencyKey | undefined {
  if (key === undefined) return undefined;
  if (key.length === 0 || key.length > MAX_LENGTH) {
    const message = `must have 1 to ${MAX_LENGTH} characters`;
    throw new Fault('invalid_request', `Idempotency-Key ${message}.`, {
      issues: [{ path: 'Idempotency-Key', message }],
    });
  }
  for (const part of said ?? []) plainJson(part);
  return { key: short(`${sub}\n${key}`), body: short(canonical(said)) };
}

const short = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
