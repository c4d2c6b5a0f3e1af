// Plays a workflow as its callers would: one signal after the other, each accepted state parsed, the log kept.
import { expect } from 'vitest';
import * as z from 'zod';
import { decide } from '../../shared/engine/decide/decide.ts';
import { begin } from '../../shared/engine/decide/start.ts';
import type { Actor } from '../../shared/engine/model/actor.ts';
import type { Decision, Verdict } from '../../shared/engine/model/decision.ts';
import { type EventType, WorkflowEvent } from '../../shared/engine/model/event.ts';
import type { Facts } from '../../shared/engine/model/facts.ts';
import type { JsonObject } from '../../shared/engine/model/json.ts';
import {
  type BodyOf,
  type IdempotencyKey,
  readSignal,
  type SignalBody,
  type SignalType,
} from '../../shared/engine/model/signal.ts';
import { State, type StepRecord } from '../../shared/engine/model/state.ts';
import type { Workflow } from '../../shared/engine/model/workflow.ts';
import { progressOf } from '../../shared/engine/progress.ts';

export const NOON = '2026-03-01T12:00:00.000Z';

export const human = (sub: string, ...roles: string[]): Actor => ({ sub, kind: 'human', roles });
export const agent = (sub: string, ...roles: string[]): Actor => ({ sub, kind: 'agent', roles });
export const OWNER = human('olga');
export const STRANGER = human('stranger', 'nothing-here');
export const BOSS = human('boss', 'admin');

const Hop = z.object({
  from_state: z.string(),
  to_state: z.string(),
  triggered_by_action: z.string(),
  actor_role: z.string(),
});

export interface Entry {
  readonly decision: Decision;
  readonly state: State;
}

interface StartOptions {
  readonly params?: JsonObject;
  readonly by?: Actor;
  readonly owner?: string;
}

export class Play {
  readonly workflow: Workflow;
  readonly log: Entry[] = [];
  #actor: Actor;
  #now = NOON;
  #facts: Facts = {};

  constructor(workflow: Workflow, { params, by = OWNER, owner }: StartOptions) {
    this.workflow = workflow;
    this.#actor = by;
    const { body } = readSignal('start', {
      instance_id: 'i-1',
      workflow_id: workflow.id,
      ...(params ? { params } : {}),
      ...(owner ? { owner } : {}),
    });
    const decision = begin(workflow, body, by, NOON);
    expectValid(decision.state, decision.events);
    this.log.push({ decision, state: freeze(decision.state) });
  }

  as(actor: Actor): this {
    this.#actor = actor;
    return this;
  }

  at(now: string): this {
    this.#now = now;
    return this;
  }

  knowing(facts: Facts): this {
    this.#facts = facts;
    return this;
  }

  signal(body: SignalBody, key?: IdempotencyKey): this {
    return this.send('signal', body, key);
  }

  done(body: SignalBody = {}): this {
    return this.signal({ action: 'complete_step', ...body });
  }

  /** Anything that can be said; the state after it is valid, and the one before it untouched (it is frozen). */
  send<T extends SignalType>(type: T, body: BodyOf<T>, key?: IdempotencyKey): this {
    const signal = readSignal(type, body, key);
    const before = this.state;
    const decision = decide(
      this.workflow,
      before,
      signal as Parameters<typeof decide>[2], // one member of the union, chosen by T
      this.#actor,
      this.#facts,
      this.#now,
    );
    const after =
      decision.kind === 'commit' ? decision : decision.kind === 'refuse' ? decision.record : undefined;
    if (after) {
      expectValid(after.state, after.events, before.seq + 1);
    }
    this.log.push({ decision, state: freeze(after?.state ?? before) });
    return this;
  }

  get state(): State {
    return this.#latest.state;
  }

  get before(): State {
    const entry = this.log.at(-2);
    if (!entry) throw new Error('nothing was played before this');
    return entry.state;
  }

  get decision(): Decision {
    return this.#latest.decision;
  }

  get verdict(): Verdict {
    const { decision } = this;
    if (decision.kind !== 'commit') throw new Error(`not a commit: ${JSON.stringify(decision)}`);
    return decision.verdict;
  }

  get missing(): readonly { type: string; reason: string }[] {
    return this.verdict.missing_criteria ?? [];
  }

  /** The code of the refusal, or the result of the commit: one word for what came of it. */
  get outcome(): string {
    const { decision } = this;
    if (decision.kind === 'commit') return decision.verdict.result;
    return decision.kind === 'refuse' ? decision.refusal.code : `repeat of ${decision.seq}`;
  }

  get recorded(): boolean {
    return this.decision.kind === 'refuse' && this.decision.record !== undefined;
  }

  get events(): readonly WorkflowEvent[] {
    const { decision } = this;
    if (decision.kind === 'commit') return decision.events;
    return decision.kind === 'refuse' ? (decision.record?.events ?? []) : [];
  }

  get types(): readonly EventType[] {
    return this.events.map(({ type }) => type);
  }

  /** The payloads of one type of event in the latest commit. */
  told(type: EventType): readonly JsonObject[] {
    return this.events.filter((event) => event.type === type).map(({ data }) => data);
  }

  /** Each transition of the latest commit as a line: from → to, by which action, in which role. */
  get hops(): readonly string[] {
    return this.told('workflow.state.changed').map((data) => {
      const { from_state, to_state, triggered_by_action, actor_role } = Hop.parse(data);
      return `${from_state} → ${to_state} by ${triggered_by_action} as ${actor_role}`;
    });
  }

  get percent(): number {
    return progressOf(this.workflow, this.state).percent;
  }

  record(step: string = this.state.current_step): StepRecord {
    const found = this.state.steps.find((record) => record?.id === step);
    if (!found) throw new Error(`${step} was never entered`);
    return found;
  }

  get #latest(): Entry {
    const entry = this.log.at(-1);
    if (!entry) throw new Error('nothing was played');
    return entry;
  }
}

export const play = (workflow: Workflow, options: StartOptions = {}): Play => new Play(workflow, options);

/** What a commit may change without having done anything: its number, its keys. */
export function unmarked(state: State): Omit<State, 'seq' | 'keys'> {
  const { seq: _seq, keys: _keys, ...rest } = state;
  return rest;
}

function expectValid(state: State, events: readonly WorkflowEvent[], seq = 1): void {
  expect(state.seq).toBe(seq);
  expect(State.parse(state)).toEqual(state);
  for (const event of events) WorkflowEvent.parse(event);
  expect(JSON.parse(JSON.stringify({ state, events }))).toEqual({ state, events });
}

/** Frozen all the way down: a rule that writes to its input throws. */
export function freeze<T>(root: T): T {
  const open: unknown[] = [root];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item !== 'object' || item === null || Object.isFrozen(item)) continue;
    Object.freeze(item);
    open.push(...(Object.values(item) as unknown[]).filter((value) => value !== null));
  }
  return root;
}
