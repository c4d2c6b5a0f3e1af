// What is legal now, asked the other way round: held against the engine's own judgement, on every walk.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../../shared/engine/decide/decide.ts';
import type { Actor } from '../../../shared/engine/model/actor.ts';
import { readSignal, type Signal, type SignalType } from '../../../shared/engine/model/signal.ts';
import type { State } from '../../../shared/engine/model/state.ts';
import type { Workflow } from '../../../shared/engine/model/workflow.ts';
import { type LegalMoves, legalMoves } from '../../../shared/engine/views/legal-moves.ts';
import { delivery, generation } from '../../support/definitions.ts';
import { agent, human, NOON, OWNER, play } from '../../support/play.ts';
import { type Ground, GROUNDS } from '../properties/definitions.ts';
import { castOf, moves, walk } from '../properties/walk.ts';

const LATER = '2030-01-01T00:00:00.000Z';

/** What the engine says: the code of a refusal, or the result. */
function verdict(workflow: Workflow, state: State, actor: Actor, type: SignalType, body: object): string {
  const decision = decide(workflow, state, readSignal(type, body) as Signal, actor, {}, LATER); // one of the union
  if (decision.kind === 'refuse') return decision.refusal.code;
  return decision.kind === 'commit' ? decision.verdict.result : 'repeat';
}

const NOT_LEGAL = [
  'not_found',
  'role_not_allowed',
  'human_required',
  'self_approval',
  'workflow_finished',
  'invalid_transition',
  'not_holder',
  'already_claimed',
  'not_resumable',
  'phase_sequence_violation',
];

/** Where it is not listed it may still be answered, with nothing done: agents side by side have nothing to claim. */
const CLAIM: [string, SignalType, object, boolean] = ['claim', 'claim', {}, true];

const outcomeIn = ({ actions }: LegalMoves): { outcome?: string } => {
  const [outcome] = actions.find(({ action }) => action === 'complete_step')?.outcomes ?? [];
  return outcome === undefined ? {} : { outcome };
};

/** Each kind of move: how it is said, and whether it is listed. */
function tries(workflow: Workflow, legal: LegalMoves): [string, SignalType, object, boolean][] {
  const named = new Set(workflow.steps.flatMap(({ transitions }) => transitions.map(({ on }) => on)));
  const actions = [...named].filter((on) => !['ok', 'fail', 'skip', 'iterate', '_default'].includes(on));
  const listed = (action: string) => legal.actions.some((one) => one.action === action);
  return [
    ...['stay', 'complete_step', ...actions].map((action): [string, SignalType, object, boolean] => [
      action,
      'signal',
      { action, feedback: 'Because.', ...(action === 'complete_step' ? outcomeIn(legal) : {}) },
      listed(action),
    ]),
    ...(legal.claim || legal.holds_claim ? [CLAIM] : []),
    ['release', 'release', {}, legal.holds_claim],
    ['approve', 'approve', { approved: true, selected_variant: 'A' }, legal.approve],
    ['cancel', 'cancel', {}, legal.cancel],
    ['resume', 'resume', {}, legal.resume_from.length > 0],
    ...workflow.steps
      .filter(({ final }) => final === null)
      .map(({ id }): [string, SignalType, object, boolean] => [
        `resume from ${id}`,
        'resume',
        { from_step: id },
        legal.resume_from.includes(id),
      ]),
  ];
}

/** Answered while it is not in progress, though nothing of it is offered. */
const waits = (state: State, name: string): boolean =>
  state.status.startsWith('waiting') && (name === 'stay' || !name.startsWith('resume'));

/** One of each kind of state that a walk meets. */
function met(ground: Ground, script: Parameters<typeof walk>[1]): readonly State[] {
  const { start, said } = walk(ground, script);
  const states = [start.state, ...said.map(({ after }) => after)];
  return [...new Map(states.map((state) => [`${state.status} ${state.current_step}`, state])).values()];
}

describe.each(GROUNDS.map((ground) => [ground.name, ground] as const))('V3: in %s', (_name, ground) => {
  const { workflow } = ground;

  it('what is listed is not refused, and what is not listed is', () => {
    fc.assert(
      fc.property(moves, (script) => {
        for (const state of met(ground, script))
          for (const actor of castOf(ground)) {
            if (actor.kind === 'system') continue;
            const legal = legalMoves(workflow, state, actor, LATER);
            for (const [name, type, body, listed] of tries(workflow, legal)) {
              if (!listed && waits(state, name)) continue;
              const said = verdict(workflow, state, actor, type, body);
              const about = { name, by: actor.sub, status: state.status, step: state.current_step, said };
              expect({ ...about, refused: NOT_LEGAL.includes(said) }).toEqual({ ...about, refused: !listed });
            }
          }
      }),
      { numRuns: 25 },
    );
  });
});

describe('an action', () => {
  const [dev, lea] = [agent('dev', 'developer'), human('lea', 'architect')];
  const committed = () =>
    play(delivery)
      .as(dev)
      .signal({ action: 'COMMIT_CODE', artifacts: { commit_sha: 'c', files_changed: ['f'] } });
  const actionsOf = (state: State, actor: Actor) => legalMoves(delivery, state, actor, NOON).actions;

  it('says whether it needs feedback; a revision may rest on what was said', () => {
    const review = committed().as(lea).send('claim', {});
    const find = (name: string) => actionsOf(review.state, lea).find(({ action }) => action === name);
    expect(find('REJECT_DESIGN')?.feedback_required).toBe(true);
    expect(find('APPROVE_DESIGN')?.feedback_required).toBe(false);
    const { state } = review.signal({ action: 'REJECT_DESIGN', feedback: 'No.' });
    const revise = actionsOf(state, dev).find(({ action }) => action === 'REVISE_CODE');
    expect(revise?.feedback_required).toBe(false);
  });

  it('waits for its attempt to open, but for saving', () => {
    const game = play(generation).done({ artifacts: { blueprint_path: 'b' } });
    const { state } = game;
    expect(legalMoves(generation, state, OWNER, NOON).actions.map(({ action }) => action)).toEqual([
      'stay',
      'need_input',
      'complete_step',
    ]);
    expect(legalMoves(generation, state, OWNER, NOON).actions.at(-1)?.outcomes).toEqual(['ok', 'fail']);
  });
});
