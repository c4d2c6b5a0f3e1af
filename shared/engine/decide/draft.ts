// A private working copy of a state: rules change it, `seal` turns it into the next state. The caller's state
// is never touched.
//   D1  The completed steps are always a path from the entry to the current step: going back undoes what lay
//       between, with its artifacts and evidence, so that stale work never satisfies a gate. What was done to mend
//       a step that failed is kept: nothing there was built on that step.
//   D2  Each entry into a step, and each new assignment of it, opens a new turn.
//   D3  A deadline counts anew when the step begins or ceases to wait for a person, and an attempt's time stands
//       still while it does.
import type { Actor } from '../model/actor.ts';
import type { Note } from '../model/decision.ts';
import type { EventType, WorkflowEvent } from '../model/event.ts';
import type { Facts } from '../model/facts.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { IdempotencyKey } from '../model/signal.ts';
import { type DeferredItem, isFinished, type State, type StepRecord } from '../model/state.ts';
import { type Step, stepAt, type Workflow } from '../model/workflow.ts';
import { progressOf } from '../progress.ts';
import { keepTally, retally, type Tally, tallyOf } from '../tally.ts';
import { remember } from './key-ring.ts';
import { openAttempt } from './open-attempt.ts';
import { statusOf, type StatusPart } from './status-part.ts';

const NOTHING: JsonObject = Object.freeze({});

export class Draft {
  readonly events: WorkflowEvent[] = [];
  readonly notes: Note[] = [];
  status: StatusPart;
  turn: number;
  current: number;
  shared: JsonObject;
  artifacts: JsonObject;
  feedback: string | null;
  retry_count: number;
  last_error: string | null;
  forks: State['forks'];
  /** Those of `from` until the first change. */
  steps: State['steps'];
  #tally: Tally | null | undefined;

  readonly workflow: Workflow;
  readonly from: State;
  readonly actor: Actor;
  readonly facts: Facts;
  readonly now: string;

  constructor(workflow: Workflow, from: State, actor: Actor, facts: Facts, now: string) {
    this.workflow = workflow;
    this.from = from;
    this.actor = actor;
    this.facts = facts;
    this.now = now;
    this.status = statusOf(from);
    this.turn = from.turn;
    this.current = workflow.index.get(from.current_step) ?? 0;
    this.shared = from.shared;
    this.artifacts = from.artifacts;
    this.feedback = from.feedback;
    this.retry_count = from.retry_count;
    this.last_error = from.last_error;
    this.forks = from.forks;
    this.steps = from.steps;
  }

  get step(): Step {
    return stepAt(this.workflow, this.current);
  }

  get params(): JsonObject {
    return this.from.params;
  }

  get record(): StepRecord {
    return this.recordAt(this.current);
  }

  recordAt(index: number): StepRecord {
    const record = this.steps[index];
    if (!record) throw new RangeError(`${stepAt(this.workflow, index).id} was never entered`);
    return record;
  }

  put(record: StepRecord, index = this.current): void {
    const { tally } = this;
    if (tally) this.#tally = retally(tally, index, this.steps[index] ?? null, record);
    if (this.steps === this.from.steps) this.steps = tally ? roomy(this.from.steps) : this.from.steps.slice();
    const steps = this.steps as (StepRecord | null)[]; // a copy of its own, made above
    while (steps.length < index) steps.push(null);
    steps[index] = record;
  }

  /** What is counted over the steps as they are now; null where counting them is cheap. */
  get tally(): Tally | null {
    if (this.#tally === undefined) this.#tally = tallyOf(this.workflow, this.from);
    return this.#tally;
  }

  /** As if no step had ever been entered and nothing delivered; messages wait again for their steps. */
  clear(): void {
    const handed = this.steps.flatMap((record) => record?.deferred ?? []);
    const deferred = [...handed, ...deferredIn(this.shared)];
    this.shared = deferred.length === 0 ? NOTHING : { deferred: deferred as unknown as Json }; // items are plain JSON
    this.artifacts = {};
    this.steps = [];
    this.#tally = null;
  }

  /** Changes the open record of the current step. */
  patch(change: Partial<StepRecord>): void {
    this.put({ ...this.record, ...change } as StepRecord); // callers change fields that every variant has
  }

  /** Artifacts of the workflow itself, which the current step brings. */
  deliver(artifacts: JsonObject): void {
    this.artifacts = { ...this.artifacts, ...artifacts };
    this.patch({ global_artifacts: { ...this.record.global_artifacts, ...artifacts } });
  }

  /** D1: what undone steps delivered for all is as it was before them. */
  #takeBack(undone: readonly StepRecord[]): void {
    const names = undone.flatMap(({ global_artifacts }) => Object.keys(global_artifacts ?? {}));
    if (names.length === 0) return;
    const kept = this.steps.filter((record) => record !== null).toSorted((a, b) => a.entered - b.entered);
    const artifacts: Record<string, Json> = { ...this.artifacts };
    for (const name of names) {
      const before = kept.findLast(({ global_artifacts: given = NOTHING }) => Object.hasOwn(given, name));
      const value = before?.global_artifacts?.[name];
      if (value === undefined) delete artifacts[name];
      else artifacts[name] = value;
    }
    this.artifacts = artifacts;
  }

  emit(type: EventType, data: Record<string, unknown>): void {
    this.events.push({ type, data: data as JsonObject }); // built from plain values only
  }

  note(level: Note['level'], message: string): void {
    this.notes.push({ level, message });
  }

  progress() {
    const { steps, step, status, params } = this;
    const reached = { status: status.status, steps, current_step: step.id, params };
    return progressOf(this.workflow, reached, this.tally);
  }

  /** Closes the current step's record. */
  close(status: 'completed' | 'skipped' | 'failed', outcome: string): void {
    this.patch({ status, outcome, completed_at: this.now } as Partial<StepRecord>);
  }

  /** Makes a step the current one, fresh (D1, D2). `kept` carries over what a loop keeps. */
  enter(step: Step, kept: { state?: JsonObject; attempts?: StepRecord['attempts'] } = {}): void {
    const before = this.steps[step.index] ?? null;
    const mends = !kept.attempts && this.steps[this.current]?.status === 'failed';
    if (before && before.status !== 'pending' && before.status !== 'failed')
      this.undoAfter(before.entered, mends ? this.current : -1);
    this.turn++;
    this.current = step.index;
    const { mine, others } = this.deferredFor(step);
    if (mine.length > 0) this.shared = { ...this.shared, deferred: others as unknown as Json }; // items are plain JSON
    const final = step.final !== null;
    this.put({
      id: step.id,
      status: final ? 'completed' : 'in_progress',
      turn: this.turn,
      entered: this.turn,
      visits: (before?.visits ?? 0) + 1,
      started_at: this.now,
      since: this.now,
      reminded: false,
      completed_at: final ? this.now : null,
      outcome: final ? 'ok' : null,
      data: NOTHING,
      evidence: NOTHING,
      artifacts: NOTHING,
      state: kept.state ?? { iteration: 1 },
      agents_done: [],
      approval: null,
      attempts: kept.attempts ?? null,
      widgets: {},
      answers: [],
      deferred: [...(before?.deferred ?? []), ...mine],
      overridden: null,
    } as StepRecord); // final and open records differ in exactly these three fields
    if (before) this.#takeBack([before]);
  }

  /** Forgets the work of every step entered after a turn; that it was visited, and what a person had parked for it,
   *  is remembered. A step that just failed (`except`) keeps its findings for whoever mends it. */
  undoAfter(turn: number, except = -1): void {
    const undone: StepRecord[] = [];
    this.steps.forEach((record, index) => {
      if (record && index !== except && record.entered > turn && record.status !== 'pending') {
        undone.push(record);
        const cleared = {
          data: NOTHING,
          evidence: NOTHING,
          artifacts: NOTHING,
          state: NOTHING,
          agents_done: [],
          approval: null,
          attempts: null,
          widgets: {},
          answers: [],
          overridden: null,
        };
        const { global_artifacts: _, ...kept } = record;
        this.put({ ...kept, ...cleared, status: 'pending', completed_at: null, outcome: null }, index);
      }
    });
    this.#takeBack(undone);
  }

  /** A new assignment of the step that is open: same visit, next turn. */
  reassign(): void {
    this.turn++;
    this.patch({ turn: this.turn });
  }

  deferredFor(step: Step): { mine: DeferredItem[]; others: DeferredItem[] } {
    const all = deferredIn(this.shared);
    if (all.length === 0) return { mine: [], others: [] };
    return {
      mine: all.filter((item) => item.step === step.id),
      others: all.filter((item) => item.step !== step.id),
    };
  }

  /** D3. */
  #keepTime(): void {
    const { from, now } = this;
    if (this.status.status === from.status || isFinished(this.status) || isFinished(from)) return;
    const before = from.steps[this.workflow.index.get(from.current_step) ?? -1];
    if (!before) return;
    if (before.status !== 'in_progress') this.#leaveOut(Date.parse(now) - Date.parse(before.since));
    if (this.record.entered === before.entered) this.patch({ since: now, reminded: false });
  }

  /** The open attempt does not count this time, if it was open then. */
  #leaveOut(ms: number): void {
    const index = openAttempt(this.workflow, this.steps, this.current);
    if (index === null) return;
    const record = this.recordAt(index);
    if (!record.attempts || record.entered !== this.from.steps[index]?.entered) return;
    const waited_ms = record.attempts.waited_ms + Math.max(0, ms);
    this.put({ ...record, attempts: { ...record.attempts, waited_ms } }, index);
  }

  /** The next state: everything changed so far, one commit later. */
  seal(idempotency?: IdempotencyKey): State {
    this.#keepTime();
    const { from } = this;
    const seq = from.seq + 1;
    if (this.tally) keepTally(from.params, this.steps, this.tally);
    const base = {
      instance_id: from.instance_id,
      workflow_id: from.workflow_id,
      definition: from.definition,
      owner: from.owner,
      created_by: from.created_by,
      subject: from.subject,
      session_name: from.session_name,
      seq,
      turn: this.turn,
      created_at: from.created_at,
      updated_at: this.now,
      params: from.params,
      current_step: this.step.id,
      steps: this.steps,
      shared: this.shared,
      artifacts: this.artifacts,
      feedback: this.feedback,
      retry_count: this.retry_count,
      last_error: this.last_error,
      keys: remember(from.keys, idempotency, seq),
    };
    const state = Object.assign(base, this.status); // twice as fast as spreading both
    const { forks } = this;
    if (!from.forked_from && !forks) return state;
    return {
      ...state,
      ...(from.forked_from ? { forked_from: from.forked_from } : {}),
      ...(forks ? { forks } : {}),
    };
  }
}

/** A copy with room for one more, so that entering the next step does not copy a long list again. */
function roomy(steps: State['steps']): State['steps'] {
  const copy = steps.concat([null]);
  copy.pop();
  return copy;
}

export function deferredIn(shared: JsonObject): readonly DeferredItem[] {
  return Array.isArray(shared.deferred) ? (shared.deferred as unknown as DeferredItem[]) : []; // written by the engine alone
}
