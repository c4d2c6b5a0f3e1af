// What the OpenAPI document says of answers is what the application gives: no field more, none less.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { App } from '../../shared/app/app.ts';
import { historyItem } from '../../shared/app/history.ts';
import { OPERATIONS } from '../../shared/app/openapi-operations.ts';
import { taskFor } from '../../shared/app/pending-tasks-view.ts';
import { headOf } from '../../shared/app/project.ts';
import { listDefinitions } from '../../shared/app/read-definitions.ts';
import * as answers from '../../shared/app/schemas-answers.ts';
import * as views from '../../shared/app/schemas-views.ts';
import {
  agentContext,
  answerOf,
  type Commit,
  definitionView,
  instanceDetails,
  knownTo,
  nextStep,
  prerequisites,
  progressOf,
  stepContent,
  type Workflow,
} from '../../shared/engine/index.ts';
import { GROUNDS } from '../engine/properties/definitions.ts';
import { moves, walk } from '../engine/properties/walk.ts';
import { delivery, generation, onboarding } from '../support/definitions.ts';
import { agent, BOSS, human, NOON, OWNER, play, type Play } from '../support/play.ts';

const PLAYS: readonly (readonly [string, Play])[] = [
  ['onboarding, just started', play(onboarding)],
  ['onboarding, blocked', play(onboarding).done().done()],
  ['onboarding, waiting for a widget', play(onboarding).signal({ action: 'need_input', widget_type: 'x' })],
  [
    'onboarding, waiting for answers',
    play(onboarding).signal({
      action: 'need_input',
      questions: [{ question: 'Which?', options: ['a', 'b'] }],
    }),
  ],
  ['onboarding, cancelled', play(onboarding).send('cancel', { reason: 'Enough.' })],
  ['onboarding, failed', play(onboarding).done({ outcome: 'fail', feedback: 'No.' })],
  [
    'onboarding, completed',
    play(onboarding)
      .knowing({ memory: { user_profile: 3 } })
      .done()
      .done()
      .send('widget', { widget_type: 'list_input', items: [1, 2] })
      .done(),
  ],
  ['delivery, claimed', play(delivery).as(agent('dev', 'developer')).send('claim', {})],
  [
    'delivery, rejected with feedback',
    play(delivery)
      .as(agent('dev', 'developer'))
      .signal({ action: 'COMMIT_CODE', artifacts: { commit_sha: 'c', files_changed: ['f'] } })
      .as(human('lea', 'architect'))
      .signal({ action: 'REJECT_DESIGN', feedback: 'No.' }),
  ],
  [
    'delivery, with a violation',
    play(delivery).as(human('lea', 'architect')).signal({ action: 'CLAIM_TASK' }),
  ],
  ['delivery, started over', play(delivery).send('retry', { error: 'Broken.' })],
  [
    'generation, waiting for approval',
    play(generation)
      .done({ artifacts: { files: [1] } })
      .done()
      .done({ artifacts: { plan_path: 'p' } }),
  ],
  [
    'generation, on its second attempt',
    play(generation)
      .done({ artifacts: { files: [1] } })
      .done()
      .done({ artifacts: { plan_path: 'p' } })
      .as(BOSS)
      .send('approve', { approved: true })
      .as(OWNER)
      .done({ outcome: 'fail', feedback: 'Too short.' }),
  ],
];

/** A schema strips what it does not know, so whatever it leaves as it was, it describes. */
function expectDescribed(schema: z.ZodType, value: unknown): void {
  const sent: unknown = JSON.parse(JSON.stringify(value));
  expect(schema.parse(sent)).toEqual(sent);
}

describe.each(PLAYS)('%s', (_, game) => {
  const { workflow, state } = game;

  it('shows itself as described', () => {
    const { instance_id, workflow_id, status, seq: version } = state;
    for (const actor of [OWNER, BOSS, agent('dev', 'developer')]) {
      expectDescribed(views.Details, { ...instanceDetails(workflow, state, actor), commit_hash: 'h' });
      expectDescribed(views.AgentContext, agentContext(workflow, state, actor, {}, NOON));
      expectDescribed(views.Definition, definitionView(workflow, actor));
    }
    const progress = progressOf(workflow, state);
    expectDescribed(views.InstanceProgress, { instance_id, workflow_id, version, status, ...progress });
    expectDescribed(views.NextStep, nextStep(workflow, state, NOON));
    expectDescribed(answers.ListedInstance, headOf(workflow, state));
    for (const step of workflow.steps) {
      expectDescribed(views.Prerequisites, prerequisites(workflow, state, step));
      const reading = stepContent(workflow, state, OWNER, step.id);
      if (reading.kind === 'content') expectDescribed(views.StepContent, reading.content);
    }
  });

  it('has a history as described, and answers as described', () => {
    for (const entry of game.log) {
      const { decision } = entry;
      if (decision.kind === 'repeat') continue;
      const commit = commitOf(entry);
      expectDescribed(
        answers.HistoryItem,
        historyItem({ commit, hash: 'h' }, knownTo(workflow, state, OWNER)),
      );
      if (decision.kind === 'commit')
        expectDescribed(answers.Answer, answerOf(workflow, entry.state, decision.verdict));
    }
  });

  it('is a task as described for whoever it waits for', () => {
    const { assigned_to } = headOf(workflow, state);
    const task = taskFor(workflow, state, assigned_to, human('someone', ...assigned_to), NOON);
    if (task !== null) expectDescribed(answers.Task, task);
    expect(task === null || assigned_to.length > 0).toBe(true);
  });
});

function commitOf({ decision, state }: Play['log'][number]): Commit {
  return {
    id: 'c',
    seq: state.seq,
    at: NOON,
    actor: OWNER,
    signal: { type: 'signal', body: { action: 'stay' } },
    facts: { memory: { user_profile: 1 } },
    state,
    events: decision.kind === 'commit' ? [...decision.events] : [],
    previous: '',
    ...(decision.kind === 'commit' ? { verdict: decision.verdict } : {}),
    ...(decision.kind === 'refuse' && decision.record
      ? { refusal: { code: decision.refusal.code, message: decision.refusal.message } }
      : {}),
  };
}

describe('lists', () => {
  it('of definitions are as described', async () => {
    const all: readonly Workflow[] = [onboarding, delivery];
    const app = { definitions: { list: () => Promise.resolve(all) } } as unknown as App; // all that this reads of it
    expectDescribed(answers.pageOf(views.ListedDefinition), await listDefinitions(app, OWNER));
  });

  it('may say that there is more, that there is not, or nothing', () => {
    for (const page of [{ items: [], next: 'x' }, { items: [], next: null }, { items: [] }])
      expectDescribed(answers.pageOf(answers.Fact), page);
  });
});

describe.each(GROUNDS)('any walk through $name', (ground) => {
  it('meets no refusal that its operation does not list', () => {
    fc.assert(
      fc.property(moves, (script) =>
        walk(ground, script).said.every(({ signal, decision }) => {
          const described = OPERATIONS[signal.type];
          if (decision.kind !== 'refuse' || !described || signal.type === 'start') return true;
          return described.codes.includes(decision.refusal.code);
        }),
      ),
      { numRuns: 800, seed: 3 }, // the same walks each time: this looks for what was forgotten, not for luck
    );
  });
});
