// One version of a definition as an item of the table and back.
import * as z from 'zod';
import type { Workflow } from '../engine/index.ts';
import { Fault } from '../faults.ts';
import type { Publishing, VersionEntry } from '../ports.ts';
import { definitionKey } from './keys.ts';

/** DynamoDB's limit is 400 KB with keys and names. */
const MAX_SOURCE_BYTES = 390 * 1024;

/** Kept for its instances; `published`: by whom and when, and as which one in order. */
export function versionItem(workflow: Workflow, published?: Publishing & { readonly number: number }) {
  const { id, version, label, title, steps } = workflow;
  const source = JSON.stringify(workflow.source);
  const bytes = Buffer.byteLength(source);
  if (bytes > MAX_SOURCE_BYTES)
    throw new Fault(
      'state_too_large',
      `The definition has ${Math.ceil(bytes / 1024)} KB, past the limit of ${MAX_SOURCE_BYTES / 1024} KB. Keep long texts outside and refer to them.`,
    );
  return {
    ...definitionKey(id, version),
    version,
    label,
    title,
    steps: steps.length,
    source,
    ...(published
      ? { number: published.number, published_at: published.at, published_by: published.sub }
      : {}),
  };
}

export const StoredVersion = z.object({
  version: z.string(),
  label: z.string().nullable(),
  title: z.string(),
  steps: z.number(),
  number: z.number().optional(),
  published_at: z.string().optional(),
  published_by: z.string().optional(),
});
export type StoredVersion = z.infer<typeof StoredVersion>;

export const VERSION_ATTRIBUTES = Object.keys(StoredVersion.shape);

export const entryOf = ({ version, label, title, steps, ...stored }: StoredVersion): VersionEntry => ({
  version,
  label,
  title,
  steps,
  published_at: stored.published_at ?? null,
  published_by: stored.published_by ?? null,
});
