// The one state machine file: valid by the language's own schema, and within what the laptop runs.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import validate from 'asl-validator';
import { describe, expect, it } from 'vitest';
import { readMachine } from '../../../local/step-functions/machine.ts';
import { ARN } from './bench.ts';

const text = readFileSync(path.resolve(import.meta.dirname, '../../../infra/attempts.asl.json'), 'utf8');

describe('infra/attempts.asl.json', () => {
  it('is what asl-validator takes for valid', () => {
    const { isValid, errors } = validate(JSON.parse(text));
    expect([isValid, errors]).toEqual([true, []]);
  });

  it('uses nothing that the laptop does not run', () => {
    expect([...readMachine(ARN, text).states.keys()]).toEqual(
      Object.keys((JSON.parse(text) as { States: object }).States),
    );
  });

  it('puts the function in wherever it is called', () => {
    const { states } = readMachine(ARN, text, { attempts_function: 'the-clock' });
    const called = [...states.values()].flatMap((state) =>
      state.Type === 'Task' ? [state.Arguments.FunctionName] : [],
    );
    expect(new Set(called)).toEqual(new Set(['the-clock']));
  });
});
