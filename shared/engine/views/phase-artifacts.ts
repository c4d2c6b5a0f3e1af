// What completed phases left behind for the later ones.
import type { Json, JsonObject } from '../model/json.ts';
import type { State } from '../model/state.ts';
import { type Step, stepAt, type Workflow } from '../model/workflow.ts';
import { isDone } from './locks.ts';

export interface PhaseArtifact {
  readonly evidence: JsonObject;
  readonly outputs: JsonObject;
  readonly commands_executed: readonly string[];
  readonly timestamp: string;
}

/** What each completed phase left behind, by its number. */
export function phaseArtifacts(workflow: Workflow, state: State) {
  const phase_artifacts: Record<number, PhaseArtifact> = {};
  const checkpoints: Record<number, 'passed'> = {};
  state.steps.forEach((record, index) => {
    const { final, number } = stepAt(workflow, index);
    if (!record || final !== null || !isDone(record) || record.completed_at === null) return;
    const { evidence, artifacts, completed_at: timestamp } = record;
    const outputs = { ...evidence, ...artifacts };
    phase_artifacts[number] = { evidence, outputs, commands_executed: commandsIn(evidence), timestamp };
    checkpoints[number] = 'passed';
  });
  return { phase_artifacts, checkpoints };
}

export function outputsByPhase(workflow: Workflow, state: State, but?: Step): Record<number, JsonObject> {
  const all = Object.entries(phaseArtifacts(workflow, state).phase_artifacts);
  return Object.fromEntries(
    all
      .filter(([number]) => Number(number) !== but?.number)
      .map(([number, { outputs }]) => [number, outputs]),
  );
}

/** Evidence fields named for commands: "command", "commands", "ast_command_output". */
function commandsIn(evidence: JsonObject): string[] {
  return Object.entries(evidence)
    .filter(([name]) => /(^|_)commands?(_|$)/.test(name))
    .flatMap(([, value]): readonly Json[] => (Array.isArray(value) ? value : [value as Json])) // no list
    .filter((value): value is string => typeof value === 'string');
}
