// Hostile bodies: reading a signal throws a Fault or nothing, and what passes is plain.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../shared/faults.ts';
import { bodies, readSignal, type SignalBody, type SignalType } from '../../../shared/engine/model/signal.ts';
import { onboarding } from '../../support/definitions.ts';
import { play } from '../../support/play.ts';

const TYPES = Object.keys(bodies) as SignalType[];

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

function codeOf(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

describe('a body that is not a signal', () => {
  it.each<[string, unknown, string]>([
    ['a key __proto__', JSON.parse('{"data":{"__proto__":{"admin":true}}}'), 'invalid_request'],
    ['__proto__ at the top', JSON.parse('{"__proto__":{"action":"complete_step"}}'), 'invalid_request'],
    ['a key constructor', { data: { constructor: 1 } }, 'invalid_request'],
    ['a key prototype deep inside', { artifacts: { a: [{ prototype: 1 }] } }, 'invalid_request'],
    ['10,000 levels', { data: { a: deep(10_000) } }, 'invalid_request'],
    ['65 levels', { data: deep(64) }, 'invalid_request'],
    ['a string of 1 MB', { data: { a: 'x'.repeat(1_000_000) } }, 'state_too_large'],
    ['a key of 1 MB', { data: { ['x'.repeat(1_000_000)]: 1 } }, 'state_too_large'],
    [
      'many small strings',
      { data: { a: Array.from({ length: 1_000 }, () => 'x'.repeat(400)) } },
      'state_too_large',
    ],
    ['NaN', { data: { a: Number.NaN } }, 'invalid_request'],
    ['infinity', { evidence: { a: [Number.POSITIVE_INFINITY] } }, 'invalid_request'],
    ['a lone surrogate', { feedback: 'broken \uD800' }, 'invalid_request'],
    ['a lone surrogate in a key', { data: { '\uDC00': 1 } }, 'invalid_request'],
    ['a date', { data: { a: new Date(0) } }, 'invalid_request'],
    ['a map', { data: { a: new Map() } }, 'invalid_request'],
    ['a function', { data: { a: () => 1 } }, 'invalid_request'],
    ['a bigint', { data: { a: 1n } }, 'invalid_request'],
    ['a symbol', { data: { a: Symbol('x') } }, 'invalid_request'],
    ['an unknown field', { akcion: 'stay' }, 'invalid_request'],
    ['a number as action', { action: 7 }, 'invalid_request'],
    ['an empty action', { action: '' }, 'invalid_request'],
    ['an action with spaces', { action: 'drop table' }, 'invalid_request'],
    ['an action of 101 characters', { action: 'A'.repeat(101) }, 'invalid_request'],
    ['a list as data', { data: [] }, 'invalid_request'],
    ['text as data', { data: 'x' }, 'invalid_request'],
    ['null as data', { data: null }, 'invalid_request'],
    ['a turn that is no integer', { turn: 1.5 }, 'invalid_request'],
    ['a negative version', { expected_version: -1 }, 'invalid_request'],
    ['step 0', { step: 0 }, 'invalid_request'],
    ['a list', [], 'invalid_request'],
    ['text', 'complete_step', 'invalid_request'],
    ['a number', 1, 'invalid_request'],
    ['nothing at all', undefined, 'read'],
    ['null', null, 'read'],
    ['an object without a prototype', Object.create(null), 'read'],
  ])('%s', (_, body, code) => {
    expect(codeOf(() => readSignal('signal', body))).toBe(code);
  });

  it('is told the path of every issue, and what was probably meant', () => {
    const read = () => readSignal('signal', { acton: 'stay', turn: 'x', data: [] });
    expect(read).toThrow('did you mean "action"');
    expect(read).toThrow('turn: ');
    expect(read).toThrow('data: ');
  });
});

describe('whatever the body', () => {
  const junk = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true });

  it.each(TYPES)('a %s throws a Fault or nothing', (type) => {
    const fields = Object.keys(bodies[type].shape);
    const nearly = fc.dictionary(fc.constantFrom(...fields, 'other'), junk);
    fc.assert(
      fc.property(fc.oneof(junk, nearly), (body) => {
        expect(['read', 'invalid_request', 'state_too_large']).toContain(
          codeOf(() => readSignal(type, body)),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('what is read can be decided on, and leaves a valid state', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const object = fc.dictionary(fc.string(), json);
    fc.assert(
      fc.property(
        fc.record(
          {
            action: fc.constantFrom('stay', 'complete_step', 'need_input', 'FLY'),
            step: fc.oneof(fc.string(), fc.integer()),
            outcome: fc.string(),
            data: object,
            evidence: object,
            artifacts: object,
            role: fc.string(),
            agent: fc.string(),
          },
          { requiredKeys: [] },
        ),
        (body) => {
          const game = play(onboarding);
          if (codeOf(() => readSignal('signal', body)) === 'read') game.signal(body as SignalBody); // read just now
          expect(game.state.workflow_id).toBe('onboarding');
        },
      ),
      { numRuns: 300 },
    );
  });

  it('names that every object has are not found where nothing was sent', () => {
    for (const name of ['toString', 'valueOf', 'hasOwnProperty']) {
      const game = play(onboarding);
      expect(game.signal({ step: name }).outcome).toBe('step_mismatch');
      expect(game.signal({ action: name }).outcome).toBe('invalid_transition');
      expect(game.done({ outcome: name }).outcome).toBe('invalid_request');
      expect(game.send('widget', { widget_type: name }).outcome).toBe('invalid_transition');
    }
  });
});
