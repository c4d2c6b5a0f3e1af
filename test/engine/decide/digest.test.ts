// The pure SHA-256 is SHA-256, and the same content has the same digest.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, digestOf, sha256 } from '../../../shared/engine/digest.ts';

const reference = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

describe('sha256', () => {
  it.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000, 100_000])('of %i characters', (length) => {
    expect(sha256('a'.repeat(length))).toBe(reference('a'.repeat(length)));
    expect(sha256('ü'.repeat(length))).toBe(reference('ü'.repeat(length)));
  });

  it('equals that of node:crypto for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(sha256(text)).toBe(reference(text));
      }),
    );
  });
});

describe('canonical', () => {
  it('does not depend on the order of keys, at any depth', () => {
    const turned = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(turned);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, field]) => [key, turned(field)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonical(turned(value))).toBe(canonical(value));
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each<[string, object, object]>([
    ['an artifact is not evidence', { a: 1 }, {}],
    ['a number is not its text', { a: '1' }, {}],
  ])('%s', (_, artifacts, evidence) => {
    const other = digestOf({ artifacts: {}, evidence: { a: 1 } });
    expect(digestOf({ artifacts: { ...artifacts }, evidence: { ...evidence } })).not.toBe(other);
  });
});
