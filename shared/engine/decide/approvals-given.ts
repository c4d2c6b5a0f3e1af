// What people decided at the checkpoints on the way: whoever works on a later step builds on it, so they are told.
import type { JsonObject } from '../model/json.ts';
import type { State } from '../model/state.ts';
import type { Workflow } from '../model/workflow.ts';

export interface GivenApproval {
  readonly step: string;
  readonly by: string | null;
  readonly at: string | null;
  readonly selected_variant?: string;
  readonly modifications?: JsonObject;
  readonly feedback?: string;
}

/** In the order of the definition; of steps that are to be done again, none. */
export function approvalsGiven(
  { checkpoints }: Pick<Workflow, 'checkpoints'>,
  steps: State['steps'],
): readonly GivenApproval[] {
  return checkpoints.flatMap((index) => {
    const record = steps[index];
    const given = record?.status === 'completed' ? record.approval : null;
    if (!record || !given?.approved) return [];
    const { resolved_by: by, resolved_at: at, selected_variant, modifications, feedback } = given;
    return [
      {
        step: record.id,
        by,
        at,
        ...(selected_variant === null ? {} : { selected_variant }),
        ...(modifications === null ? {} : { modifications }),
        ...(feedback === null ? {} : { feedback }),
      },
    ];
  });
}
