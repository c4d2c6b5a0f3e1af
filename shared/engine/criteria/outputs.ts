// outputs: the artifacts a step promises are delivered.
import * as z from 'zod';
import { strict } from '../model/strict.ts';
import { defineChecker, MET } from './checker.ts';

export const outputs = defineChecker({
  type: 'outputs',
  params: strict({ names: z.array(z.string()).optional() }),
  check: ({ step, record, state }, { names }) => {
    const wanted = names ?? step.outputs;
    const missing = wanted.filter(
      (name) => !isDelivered(record.artifacts, name) && !isDelivered(state.artifacts, name),
    );
    if (missing.length === 0) return MET;
    return {
      met: false,
      missing: missing.map((output) => ({
        output,
        reason: `The output "${output}" is missing; send it in artifacts.${output}.`,
      })),
    };
  },
});

export function isDelivered(artifacts: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = Object.hasOwn(artifacts, name) ? artifacts[name] : undefined;
  return value !== undefined && value !== null && value !== '';
}
