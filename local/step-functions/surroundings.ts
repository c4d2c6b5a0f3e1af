// What expressions see: `$states` with the input, the result and the context object, and the variables.
import type { Json } from '../../shared/engine/index.ts';
import { executionArn, type Position, type Run, tokenOf } from './execution.ts';
import type { Surroundings } from './expression.ts';
import type { Machine } from './machine.ts';

/** A position whose phase is not known yet. */
export type Arrival = Omit<Position, 'phase'>;

export interface Seen {
  readonly result?: Json | undefined;
  readonly errorOutput?: Json | undefined;
  /** The try whose token is shown. */
  readonly task?: string | undefined;
}

const iso = (at: number): string => new Date(at).toISOString();

export function surroundings(
  machine: Machine,
  run: Run,
  at: Arrival,
  { result, errorOutput, task }: Seen = {},
): Surroundings {
  const context = {
    Execution: {
      Id: executionArn(run),
      Input: JSON.parse(run.input) as Json, // checked when it was started
      Name: run.name,
      StartTime: iso(run.started_at),
      RedriveCount: 0,
    },
    State: {
      EnteredTime: iso(at.entered_at),
      Name: at.state,
      RetryCount: at.retries.reduce((sum, n) => sum + n, 0),
    },
    StateMachine: { Id: machine.arn, Name: machine.name },
    ...(task === undefined ? {} : { Task: { Token: tokenOf(run, task) } }),
  };
  const states = {
    input: at.input,
    context,
    ...(result === undefined ? {} : { result }),
    ...(errorOutput === undefined ? {} : { errorOutput }),
  };
  return { states, variables: run.variables as Surroundings['variables'] }; // JSON, as they were evaluated
}
