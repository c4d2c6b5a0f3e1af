// Idempotency keys: what is said under them is looked at before it is hashed (J2).
import { describe, expect, it } from 'vitest';
import { idempotencyOf } from '../../shared/app/idempotency.ts';

describe('an idempotency key', () => {
  it('knows a body by its content, in whatever order', () => {
    const [one, same, other] = [{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }].map((body) =>
      idempotencyOf('k', 'ann', ['signal', body]),
    );
    expect(same).toEqual(one);
    expect(other).toMatchObject({ key: one?.key });
    expect(other?.body).not.toBe(one?.body);
    expect(idempotencyOf('k', 'bob', ['signal', { a: 1, b: 2 }])?.key).not.toBe(one?.key);
  });

  it('refuses a body that is nested without end, as a request without a key does', () => {
    const body: unknown = JSON.parse('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000));
    expect(() => idempotencyOf('k', 'ann', ['signal', body])).toThrow(
      expect.objectContaining({ code: 'invalid_request' }) as Error,
    );
  });
});
