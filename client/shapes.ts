// The shapes of arguments and answers. Types only, taken from where they are made, so that nothing of it is bundled.
import type { JsonObject, Status } from '../shared/engine/index.ts';
import type { BodyOf } from '../shared/engine/model/signal.ts';
import type { completePhase } from '../shared/app/complete-phase.ts';
import type { listFacts } from '../shared/app/facts.ts';
import type { InstancePage } from '../shared/app/list-instances.ts';
import type { TaskPage } from '../shared/app/pending-tasks.ts';
import type { listDefinitions } from '../shared/app/read-definitions.ts';
import type { details, history, next, prerequisitesOf, progress } from '../shared/app/read-instance.ts';
import type { routeMessage } from '../shared/app/route-message.ts';
import type { searchContent } from '../shared/app/search-content.ts';
import type { listSessions, SessionView } from '../shared/app/sessions.ts';
import type { listVersions } from '../shared/app/publish-definition.ts';
import type { readMetrics } from '../shared/app/read-metrics.ts';
import type { definitionView } from '../shared/engine/views/definition-view.ts';

export type { Answer, EventType, JsonObject, Progress, Status } from '../shared/engine/index.ts';
export type { BodyOf, SignalBody as Signal } from '../shared/engine/model/signal.ts';
export type { AgentContext } from '../shared/engine/views/agent-context.ts';
export type { StepContent } from '../shared/engine/views/step-content.ts';
export type { FactRequest as NewFact, StartRequest as Start } from '../shared/app/schemas.ts';
export type { MessageRequest as Message } from '../shared/app/schemas.ts';
export type { AgentWorkRequest as AgentWork } from '../shared/app/schemas-agent-work.ts';
export type { Forked } from '../shared/app/fork-instance.ts';
export type { Fit } from '../shared/app/migrate-instance.ts';
export type { Proof } from '../shared/app/prove-log.ts';
export type { Publication } from '../shared/app/publish-definition.ts';
export type { ForkRequest as Fork, MigrateRequest as Migrate } from '../shared/app/schemas-recovery.ts';
export type { Fact } from '../shared/ports.ts';
export type { SessionPage } from '../shared/app/sessions.ts';

type Answered<F extends (...args: never) => Promise<unknown>> = Awaited<ReturnType<F>>;

export interface Completion {
  readonly evidence?: JsonObject;
  readonly artifacts?: JsonObject;
}
export type PhaseVerdict = Answered<typeof completePhase>;
export type MessageAnswer = Answered<typeof routeMessage>;
export type Details = Answered<typeof details>;
export type InstanceProgress = Answered<typeof progress>;
/** A page of the audit trail, commit by commit; its `next` is the `after` of the page after it. */
export type History = Answered<typeof history>;
export type HistoryItem = History['items'][number];
export type NextStep = Answered<typeof next>;
export type Prerequisites = Answered<typeof prerequisitesOf>;
export type ContentSearch = Answered<typeof searchContent>;
export type Definition = ReturnType<typeof definitionView>;
export type Metrics = Answered<typeof readMetrics>;
export type Versions = Answered<typeof listVersions>;
export type Definitions = Answered<typeof listDefinitions>;
export type Instances = InstancePage;
export type PendingTasks = TaskPage;
export type Facts = Answered<typeof listFacts>;
export type Session = SessionView;
export type Sessions = Answered<typeof listSessions>;

export interface Paging {
  readonly limit?: number;
  readonly next?: string;
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

export interface ContentQuery {
  readonly q: string;
  readonly limit?: number;
  readonly max_tokens?: number;
}

export interface NewSession {
  readonly session_name: string;
  readonly title?: string;
}

export type WidgetResult = Omit<BodyOf<'widget'>, 'widget_type'>;

export interface TasksQuery extends Paging {
  readonly role?: string;
}

export interface Validation {
  readonly status: 'accepted' | 'rejected';
  readonly message: string;
  readonly current_state: string;
  readonly next_role?: string | null;
  readonly next_action?: string | null;
  readonly [more: string]: unknown;
}

export interface FactsQuery extends Paging {
  readonly category?: string;
  readonly user_id?: string;
}
