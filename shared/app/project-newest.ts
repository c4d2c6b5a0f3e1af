// A batch of commits, projected: of each instance only the newest one, side by side.
import * as z from 'zod';
import { State } from '../engine/index.ts';
import { project, type ProjectPorts } from './project.ts';
import type { Told } from './publish-told.ts';

const Commit = z.object({ state: State });

/** What could not be projected, and why. */
export async function projectNewest<
  A extends { readonly told: Told; readonly commit: unknown; readonly hash?: string },
>(ports: ProjectPorts, batch: readonly A[]): Promise<{ of: A; error: unknown }[]> {
  const newest = new Map<string, A>();
  for (const one of batch) {
    const { instance_id, seq } = one.told;
    if (seq > (newest.get(instance_id)?.told.seq ?? 0)) newest.set(instance_id, one);
  }
  const failed: { of: A; error: unknown }[] = [];
  await Promise.all(
    [...newest.values()].map(async (of) => {
      try {
        await project(ports, Commit.parse(of.commit).state, of.hash);
      } catch (error) {
        failed.push({ of, error });
      }
    }),
  );
  return failed;
}
