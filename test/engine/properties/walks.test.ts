// What holds whatever anyone says in whatever order: random walks over four workflows, every state frozen.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from '../../../shared/engine/digest.ts';
import {
  type Actor,
  decide,
  findStep,
  isFinished,
  progressOf,
  replay,
  State,
  type Transition,
  type Workflow,
} from '../../../shared/engine/index.ts';
import { type Ground, GROUNDS } from './definitions.ts';
import { castOf, moves, type Said, walk, type Walk } from './walk.ts';

const RUNS = 200;

function everyWalk(ground: Ground, holds: (walk: Walk) => void): void {
  fc.assert(
    fc.property(moves, (script) => holds(walk(ground, script))),
    { numRuns: RUNS },
  );
}

const everySaid = (ground: Ground, holds: (said: Said) => void): void =>
  everyWalk(ground, ({ said }) => said.forEach(holds));

const without = ({ seq: _seq, keys: _keys, ...rest }: State) => canonical(rest);
const eventsOf = ({ decision }: Said) =>
  decision.kind === 'commit'
    ? decision.events
    : decision.kind === 'refuse'
      ? (decision.record?.events ?? [])
      : [];

describe.each(GROUNDS)('any walk through $name', (ground) => {
  const { workflow } = ground;

  it('E1: decide never throws, leaves its arguments alone and answers the same twice', () =>
    everySaid(ground, ({ before, signal, actor, facts, now, decision }) => {
      const again = decide(workflow, before, signal, actor, facts, now);
      expect(canonical(again)).toBe(canonical(decision));
    }));

  it('E2: every state is a State, and plain JSON', () =>
    everyWalk(ground, ({ commits }) => {
      for (const { state } of commits) {
        const parsed = State.safeParse(state);
        expect(parsed.error?.issues ?? []).toEqual([]);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }
    }));

  it('E3: a refusal changes nothing, a recorded one nothing but seq, a block nothing but seq and keys', () =>
    everySaid(ground, ({ before, decision, after }) => {
      if (decision.kind === 'repeat') expect(after).toBe(before);
      else if (decision.kind === 'refuse') {
        if (decision.record) expect(after).toEqual({ ...before, seq: before.seq + 1 });
        else expect(after).toBe(before);
      } else {
        expect(after.seq).toBe(before.seq + 1);
        if (decision.verdict.result === 'blocked') expect(without(after)).toBe(without(before));
      }
    }));

  it('E4: a finished instance never changes, unless it is resumed or retried', () =>
    everySaid(ground, ({ before, signal, after }) => {
      if (isFinished(before) && signal.type !== 'resume' && signal.type !== 'retry')
        expect(without(after)).toBe(without(before));
      if (before.status === 'completed') expect(without(after)).toBe(without(before));
    }));

  it('E5: what dominates the current step lies done behind it: completed, or left by a way that does not complete', () =>
    everyWalk(ground, ({ commits }) => {
      for (const { state } of commits) {
        for (const above of strictDominators(workflow, state.current_step)) {
          const step = workflow.steps[above];
          const record = state.steps[above];
          if (!step?.required) expect(['completed', 'skipped', 'failed']).toContain(record?.status);
          else if (record?.status === 'failed')
            expect((step.by_on.get(record.outcome) ?? []).some(({ completes }) => !completes)).toBe(true);
          else expect(record?.status).toBe('completed');
        }
      }
    }));

  it('E6: a completed instance has completed every required step', () =>
    everyWalk(ground, ({ commits }) => {
      for (const { state } of commits) {
        if (state.status !== 'completed') continue;
        for (const { required, final, index } of workflow.steps)
          if (required && final === null) expect(state.steps[index]?.status).toBe('completed');
      }
    }));

  it("E7: nobody without a transition's role ever takes it", () => {
    const cast = castOf(ground);
    everySaid(ground, (said) => {
      const { signal, before } = said;
      const asker = before.steps[findStep(workflow, before.current_step)?.index ?? 0]?.approval?.requested_by;
      const mover = signal.type === 'approve' ? cast.find(({ sub }) => sub === asker) : said.actor;
      if (!['signal', 'claim', 'approve'].includes(signal.type)) return;
      for (const { type, data } of eventsOf(said)) {
        if (type !== 'workflow.state.changed') continue;
        const taken = candidates(workflow, data);
        if (taken.length === 0) continue;
        const own = findStep(workflow, String(data.from_state))?.roles ?? [];
        const open = taken.some(({ roles, auto }) => auto || allows(roles.length > 0 ? roles : own, mover));
        expect(open ? '' : `${mover?.sub} took ${canonical(data)}`).toBe('');
      }
    });
  });

  it('E8: hearing a signal twice with one key is hearing it once', () =>
    everyWalk(ground, ({ said }) => {
      const last = said.at(-1)?.after;
      for (const { signal, actor, facts, now, decision, after } of said) {
        if (signal.idempotency === undefined || decision.kind !== 'commit') continue;
        const repeat = { kind: 'repeat', seq: after.seq };
        expect(decide(workflow, after, signal, actor, facts, now)).toEqual(repeat);
        if (last) expect(decide(workflow, last, signal, actor, facts, now)).toEqual(repeat);
      }
    }));

  it('E9: the log alone reproduces every state, and a changed one is found', () =>
    everyWalk(ground, ({ commits }) => {
      expect(replay(workflow, commits)).toEqual({ ok: true });
      const at = Math.floor(commits.length / 2);
      const forged = commits.map((commit, i) =>
        i === at
          ? { ...commit, state: { ...commit.state, shared: { ...commit.state.shared, forged: true } } }
          : commit,
      );
      expect(replay(workflow, forged)).toEqual({ ok: false, seq: at + 1, differs: 'state.shared.forged' });
    }));

  it('E10: progress is 0 to 100 and falls only where the trail says why', () =>
    everySaid(ground, (said) => {
      const [was, is] = [progressOf(workflow, said.before), progressOf(workflow, said.after)];
      expect(is.percent).toBeGreaterThanOrEqual(0);
      expect(is.percent).toBeLessThanOrEqual(100);
      expect(is.percent === 100).toBe(said.after.status === 'completed' || is.completed === is.total);
      if (is.percent < was.percent) expect(whyFallen(workflow, said)).not.toEqual([]);
    }));
});

describe('the walks', () => {
  it.each(GROUNDS)('reach every kind of answer in $name', (ground) => {
    const met = new Set<string>();
    const scripts = fc.sample(moves, { numRuns: 400, seed: 7 });
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
function candidates(workflow: Workflow, data: Readonly<Record<string, unknown>>): readonly Transition[] {
  const from = findStep(workflow, String(data.from_state));
  const target = data.to_state === 'end' ? null : (findStep(workflow, String(data.to_state))?.index ?? null);
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
