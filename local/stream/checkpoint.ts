// How far each consumer has come in each shard, kept on disk so that a restart goes on from there.
//   K1  A position is written after the records up to it were handled, never before: what is lost is told again.
//   K2  A file that is missing, damaged or of another stream means the beginning: told again, never left out.
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { writeAtomically } from '../write-atomically.ts';

/** Stands for a shard that is closed and was handled to its end. */
export const END = 'end';

const Positions = z.record(z.string(), z.string().regex(/^(?:\d+|end)$/));
const Saved = z.object({ stream_arn: z.string(), consumers: z.record(z.string(), Positions) });

export type Consumers = Readonly<Record<string, Readonly<Record<string, string>>>>;

export function loadCheckpoint(file: string, stream_arn: string): Consumers {
  try {
    const saved = Saved.parse(JSON.parse(readFileSync(file, 'utf8')));
    return saved.stream_arn === stream_arn ? saved.consumers : {};
  } catch {
    return {};
  }
}

export function saveCheckpoint(file: string, stream_arn: string, consumers: Consumers): void {
  writeAtomically(file, JSON.stringify({ stream_arn, consumers }, null, 2));
}
