// The application: its ports, and what a process remembers between requests.
import type { Note } from '../engine/index.ts';
import type { Chance, Classifier, Definitions, InstanceLog, Listings, Memory, Sessions } from '../ports.ts';
import type { WarmStates } from './warm-states.ts';

export interface App {
  readonly log: InstanceLog;
  readonly definitions: Definitions;
  readonly memory: Memory;
  readonly listings: Listings;
  readonly sessions: Sessions;
  readonly classifier: Classifier;
  readonly chance: Chance;
  readonly warm: WarmStates;
  /** What happened, for logs and metrics; never what was said. */
  readonly observe: (told: Observation) => void;
}

export interface Observation {
  readonly instance_id: string;
  readonly workflow_id: string;
  readonly step: string;
  readonly signal: string;
  /** The result of a commit, or the code of a refusal. */
  readonly result: string;
  /** How often another writer was first. */
  readonly conflicts: number;
  readonly notes: readonly Note[];
}
