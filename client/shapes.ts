// The shapes of arguments and answers. Types only, taken from where they are made, so that nothing of it is bundled.
import type { JsonObject, Status } from '../shared/engine/index.ts';
import type { BodyOf } from '../shared/engine/model/signal.ts';
import type { listDefinitions } from '../shared/app/read-definitions.ts';
import type { details, history, next, prerequisitesOf, progress } from '../shared/app/read-instance.ts';
import type { definitionView } from '../shared/engine/views/definition-view.ts';
import type { Head } from '../shared/ports.ts';

export type { Answer, EventType, JsonObject, Progress, Status } from '../shared/engine/index.ts';
export type { BodyOf, SignalBody as Signal } from '../shared/engine/model/signal.ts';
export type { AgentContext } from '../shared/engine/views/agent-context.ts';
export type { StepContent } from '../shared/engine/views/step-content.ts';
export type { Fact } from '../shared/ports.ts';

type Answered<F extends (...args: never) => Promise<unknown>> = Awaited<ReturnType<F>>;

export type Details = Answered<typeof details>;
export type InstanceProgress = Answered<typeof progress>;
/** A page of the audit trail, commit by commit; its `next` is the `after` of the page after it. */
export type History = Answered<typeof history>;
export type HistoryItem = History['items'][number];
export type NextStep = Answered<typeof next>;
export type Prerequisites = Answered<typeof prerequisitesOf>;
export type Definition = ReturnType<typeof definitionView>;
export type Definitions = Answered<typeof listDefinitions>;
export type Listed = Head;

/** One page of a list; `next` leads to the one after it and is missing (or null) on the last. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly next?: string | null;
}
interface Paging {
  readonly limit?: number;
  readonly next?: string;
}

export interface Start {
  readonly workflow_id: string;
  readonly params?: JsonObject;
  readonly session_name?: string;
  readonly subject?: string;
  readonly instance_id?: string;
  /** Whose instance it is, where that is not the caller. */
  readonly user_id?: string;
}

export interface ListQuery extends Paging {
  readonly status?: Status;
  readonly workflow_id?: string;
  readonly session_name?: string;
}

export interface HistoryQuery {
  /** Only commits after this `seq`. */
  readonly after?: number;
  readonly limit?: number;
}

export type WidgetResult = Omit<BodyOf<'widget'>, 'widget_type'>;

export interface TasksQuery extends Paging {
  readonly role?: string;
}
export interface PendingTask {
  readonly task_id: string;
  readonly current_state: string;
  readonly required_action: string | null;
  readonly work: JsonObject;
  readonly context: string;
  readonly [more: string]: unknown;
}
export interface PendingTasks {
  readonly tasks: readonly PendingTask[];
  readonly next?: string | null;
}

/** The body of an agent.work.completed event. */
export interface AgentWork {
  readonly task_id: string;
  readonly agent_id?: string;
  readonly role: string;
  readonly action_performed: string;
  readonly result?: JsonObject;
  readonly artifacts?: JsonObject;
  readonly feedback?: string;
}
export interface Validation {
  readonly status: 'accepted' | 'rejected';
  readonly message: string;
  readonly current_state: string;
  readonly next_role: string | null;
  readonly next_action: string | null;
}

export interface NewFact {
  readonly memory: string;
  readonly category: string;
  /** Whose fact it is, where that is not the caller's own. */
  readonly user_id?: string;
  readonly metadata?: JsonObject;
}
export interface FactsQuery extends Paging {
  readonly category?: string;
  readonly user_id?: string;
}
