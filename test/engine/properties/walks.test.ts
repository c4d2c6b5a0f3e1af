// What holds whatever anyone says in whatever order: random walks over four workflows, every state frozen.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../../shared/engine/digest.ts';
import {
  type Actor,
  decide,
  findStep,
  isFinished,
  type Json,
  type JsonObject,
  progressOf,
  replay,
  State,
  stepAt,
  type Transition,
  type Workflow,
} from '../../../shared/engine/index.ts';
import { type Ground, GROUNDS } from './definitions.ts';
import { castOf, moves, type Said, walk, type Walk } from './walk.ts';

const RUNS = 200;

const eventsOf = ({ decision }: Said) =>
  decision.kind === 'commit'
    ? decision.events
    : decision.kind === 'refuse'
      ? (decision.record?.events ?? [])
      : [];

/** Fails with the shortest script found for which `holds` is false. */
function expectEveryWalk(ground: Ground, holds: (walk: Walk) => boolean): void {
  fc.assert(
    fc.property(moves, (script) => holds(walk(ground, script))),
    { numRuns: RUNS },
  );
}

const expectEverySaid = (ground: Ground, holds: (said: Said) => boolean): void =>
  expectEveryWalk(ground, ({ said }) => said.every(holds));

const expectEveryState = (ground: Ground, holds: (state: State) => boolean): void =>
  expectEveryWalk(ground, ({ commits }) => commits.every(({ state }) => holds(state)));

const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
/** Equal but for seq and keys. */
const unchanged = (a: State, b: State): boolean =>
  same({ ...a, seq: 0, keys: [] }, { ...b, seq: 0, keys: [] });
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

describe.each(GROUNDS)('any walk through $name', (ground) => {
  const { workflow } = ground;

  it('E1: decide never throws, leaves its arguments alone and answers the same twice', () =>
    expectEverySaid(ground, ({ before, signal, actor, facts, now, decision }) =>
      same(decide(workflow, before, signal, actor, facts, now), decision),
    ));

  it('E2: every state is a State, and plain JSON', () =>
    expectEveryState(
      ground,
      (state) =>
        State.safeParse(state).success && isDeepStrictEqual(JSON.parse(JSON.stringify(state)), state),
    ));

  it('E3: a refusal changes nothing, a recorded one or a block nothing but seq and keys', () =>
    expectEverySaid(ground, ({ before, decision, after }) => {
      if (decision.kind === 'repeat') return after === before;
      if (decision.kind === 'refuse')
        return decision.record ? after.seq === before.seq + 1 && unchanged(after, before) : after === before;
      return (
        after.seq === before.seq + 1 && (decision.verdict.result !== 'blocked' || unchanged(after, before))
      );
    }));

  it('E4: a finished instance never changes, unless a failed or cancelled one is resumed or retried', () =>
    expectEverySaid(ground, ({ before, signal, after }) => {
      const reopens = signal.type === 'resume' || signal.type === 'retry';
      const closed = before.status === 'completed' || (isFinished(before) && !reopens);
      const { forks: _forks, ...noted } = after; // that it was forked is noted
      const known = before.forks ? { ...noted, forks: before.forks } : noted;
      return !closed || unchanged(signal.type === 'forked' ? known : after, before);
    }));

  it('E5: what dominates the current step lies behind it: completed, or left by a way that does not complete', () =>
    expectEveryState(ground, (state) =>
      strictDominators(workflow, state.current_step).every((above) => {
        const step = stepAt(workflow, above);
        const record = state.steps[above];
        if (record?.status === 'completed') return true;
        if (record?.status === 'skipped') return !step.required;
        return (
          record?.status === 'failed' &&
          (step.by_on.get(record.outcome) ?? []).some(({ completes }) => !completes)
        );
      }),
    ));

  it('E6: a completed instance has completed every required step', () =>
    expectEveryState(
      ground,
      (state) =>
        state.status !== 'completed' ||
        workflow.steps.every(
          ({ required, final, index }) =>
            !required || final !== null || state.steps[index]?.status === 'completed',
        ),
    ));

  it("E7: nobody without a transition's role ever takes it", () => {
    const cast = castOf(ground);
    expectEverySaid(ground, (said) => {
      const { signal, before } = said;
      if (!['signal', 'claim', 'approve'].includes(signal.type)) return true;
      const asker = before.steps[workflow.index.get(before.current_step) ?? 0]?.approval?.requested_by;
      const mover = signal.type === 'approve' ? cast.find(({ sub }) => sub === asker) : said.actor;
      return eventsOf(said).every(({ type, data }) => {
        const taken = type === 'workflow.state.changed' ? candidates(workflow, data) : [];
        const own = findStep(workflow, textOf(data.from_state))?.roles ?? [];
        const open = ({ roles, auto }: Transition) => auto || allows(roles.length > 0 ? roles : own, mover);
        return taken.length === 0 || taken.some(open);
      });
    });
  });

  it('E8: hearing a signal twice with one key is hearing it once, at once or later', () =>
    expectEveryWalk(ground, ({ said }) =>
      said.every(({ signal, actor, facts, now, decision, after }) => {
        if (signal.idempotency === undefined || decision.kind !== 'commit') return true;
        return [after, said.at(-1)?.after ?? after].every((state) =>
          same(decide(workflow, state, signal, actor, facts, now), { kind: 'repeat', seq: after.seq }),
        );
      }),
    ));

  it('E9: the log alone reproduces every state, and a changed one is found', () =>
    expectEveryWalk(ground, ({ commits }) => {
      const at = Math.floor(commits.length / 2);
      const forged = commits.map((commit, i) =>
        i === at
          ? { ...commit, state: { ...commit.state, shared: { ...commit.state.shared, forged: true } } }
          : commit,
      );
      const found = { ok: false, seq: at + 1, differs: 'state.shared.forged' };
      return same(replay(workflow, commits), { ok: true }) && same(replay(workflow, forged), found);
    }));

  it('E10: progress is 0 to 100 and falls only where the trail says why', () =>
    expectEverySaid(ground, (said) => {
      const [was, is] = [progressOf(workflow, said.before), progressOf(workflow, said.after)];
      const full = said.after.status === 'completed' || is.completed === is.total;
      const within = is.percent >= 0 && is.percent <= 100 && (is.percent === 100) === full;
      return within && (is.percent >= was.percent || whyFallen(workflow, said).length > 0);
    }));
});

describe('the walks', () => {
  it.each(GROUNDS)('reach every kind of answer in $name', (ground) => {
    const met = new Set<string>();
    const scripts = fc.sample(moves, { numRuns: 400, seed: 1 });
    for (const script of scripts)
      for (const { decision, after, signal } of walk(ground, script).said) {
        met.add(after.status);
        if (decision.kind === 'commit') met.add(decision.verdict.result).add(`${signal.type} commits`);
        else met.add(decision.kind === 'refuse' ? decision.refusal.code : decision.kind);
      }
    const wanted = [
      'in_progress',
      'waiting_input',
      'completed',
      'failed',
      'cancelled',
      'advanced',
      'blocked',
      'stayed',
      'repeat',
      'role_not_allowed',
      'human_required',
      'not_found',
      'stale_turn',
      'workflow_finished',
      'idempotency_mismatch',
      'override commits',
      'resume commits',
      'claim commits',
      'defer commits',
    ];
    expect(wanted.filter((each) => !met.has(each))).toEqual([]);
  });
});

function strictDominators(workflow: Workflow, id: string): number[] {
  const found: number[] = [];
  let at = workflow.dominator[workflow.index.get(id) ?? -1] ?? -1;
  for (; at >= 0; at = workflow.dominator[at] ?? -1) found.push(at);
  return found;
}

/** The transitions a state.changed event may have been. */
function candidates(workflow: Workflow, data: JsonObject): readonly Transition[] {
  const from = findStep(workflow, textOf(data.from_state));
  const target = data.to_state === 'end' ? null : (findStep(workflow, textOf(data.to_state))?.index ?? null);
  const ways = (from?.transitions ?? []).filter(({ to, retry }) => to === target && !retry);
  const named = ways.filter(({ on }) => on === data.triggered_by_action);
  return named.length > 0 ? named : ways;
}

/** Retry, rejection, failed check, iteration or way back, resume, restart, cancel, override, a changed approval. */
function whyFallen(workflow: Workflow, said: Said): string[] {
  const { after, before } = said;
  const reasons = eventsOf(said).flatMap(({ type, data }) => {
    switch (type) {
      case 'workflow.retried':
      case 'workflow.resumed':
      case 'workflow.cancelled':
      case 'workflow.failed':
      case 'workflow.overridden':
      case 'workflow.attempt.failed':
        return [type];
      case 'workflow.approval.resolved':
        return data.approved === false || after.current_step === before.current_step ? [type] : [];
      case 'workflow.state.changed':
        return candidates(workflow, data).every(({ completes }) => completes) ? [] : ['way back'];
      default:
        return [];
    }
  });
  return reasons;
}

const allows = (roles: readonly string[], actor: Actor | undefined): boolean =>
  roles.length === 0 || roles.some((role) => actor?.roles.includes(role) ?? false);
