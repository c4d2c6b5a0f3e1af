// The time of a walk.
import type { State } from '../engine/model/state.ts';

export const START = '2026-01-01T00:00:00.000Z';

/** Time stands still, except to let the next attempt open. */
export function nowIn(state: State): string {
  const record = state.steps.find((one) => one?.id === state.current_step);
  const opens = record?.attempts?.opens_at ?? START;
  return opens > state.updated_at ? opens : state.updated_at;
}
