import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import { type Actor, SYSTEM } from '../../../shared/engine/model/actor.ts';
import { applyEvent, frontendOf, NOTHING_YET } from '../../../shared/engine/views/frontend.ts';
import { metrics } from '../../../shared/engine/views/metrics.ts';
import { boss, delivery, Game, generating } from './sample.ts';

const options = ['yes', 'no'];
const question = { id: 'q', question: 'Really?', options };
const untilGenerate = () => generating().done().done().done().send('approve', { approved: true }, boss);
const toTheEnd = () => untilGenerate().done().done().done({ agent: 'v1' }).done({ agent: 'v2' }).done();

const held = (role: string): Actor => ({ sub: role, kind: 'agent', roles: [role] });

const hard = load({
  id: 'hard',
  recovery: 'restart',
  roles: ['dev'],
  states: [
    { id: 'todo' },
    { id: 'doing', approval: true },
    { id: 'done', terminal: true },
    { id: 'given_up', terminal: 'failure' },
  ],
  transitions: [
    { from: 'todo', to: 'doing', action: 'CLAIM', role_required: 'dev', implied: true },
    { from: 'todo', to: 'given_up', action: 'GIVE_UP', role_required: 'dev', completes: false },
    { from: 'doing', to: 'done', action: 'DONE', role_required: 'dev' },
  ],
});

const games: Record<string, () => Game> = {
  'a run to the end': toTheEnd,
  'a rejected approval': () =>
    generating().done().done().done().send('approve', { approved: false, feedback: 'No.' }, boss),
  'an approval that waits': () => generating().done().done().done(),
  'an approval whose modifications break the evidence': () =>
    generating()
      .done()
      .done()
      .done()
      .send('approve', { approved: true, modifications: { secret_field_plan: 0 } }, boss),
  'a question and its answer': () =>
    generating()
      .send('signal', { action: 'need_input', questions: [question] })
      .send('answer', { answers: { q: 'yes' } })
      .done(),
  'a question that waits': () => generating().send('signal', { action: 'need_input', questions: [question] }),
  'a widget that waits': () => generating().send('signal', { action: 'need_input', widget_type: 'list' }),
  'a retried attempt': () => untilGenerate().done().done({ outcome: 'fail' }),
  'attempts used up': () =>
    untilGenerate()
      .done()
      .done({ outcome: 'fail' })
      .done()
      .done({ outcome: 'fail' })
      .done()
      .done({ outcome: 'fail' }),
  'a cancelled instance, resumed': () =>
    generating().done().send('cancel', { reason: 'x' }).send('resume', {}).done(),
  'an override while waiting': () =>
    generating().done().done().done().send('override', { reason: 'Wrong block.' }, boss),
  'a run to a final step': () =>
    new Game(delivery)
      .send('signal', { action: 'COMMIT_CODE' }, held('developer'))
      .send('signal', { action: 'APPROVE_DESIGN' }, held('architect'))
      .send('signal', { action: 'APPROVE_TESTS' }, held('qa')),
  'a run that ends in failure': () =>
    new Game(hard)
      .send('signal', { action: 'GIVE_UP' }, held('dev'))
      .send('retry', { error: 'Again.' }, boss),
  'an approval after a claim': () =>
    new Game(hard)
      .send('signal', { action: 'CLAIM' }, held('dev'))
      .send('signal', { action: 'DONE' }, held('dev'))
      .send('approve', { approved: true }, boss),
  'a restart while waiting': () =>
    new Game(hard)
      .send('signal', { action: 'CLAIM' }, held('dev'))
      .send('signal', { action: 'DONE' }, held('dev'))
      .send('retry', { error: 'The disk was full.' }, boss),
  'a way through automatic steps': () =>
    new Game(delivery).send(
      'signal',
      { action: 'COMMIT_CODE' },
      { sub: 'd', kind: 'agent', roles: ['developer'] },
    ),
};

describe('events suffice to rebuild what a frontend shows', () => {
  it.each(Object.entries(games))('after each commit of %s', (_name, play) => {
    const { workflow, commits } = play();
    let view = NOTHING_YET;
    for (const { events, state } of commits) {
      view = events.reduce(applyEvent, view);
      expect(view).toEqual(frontendOf(workflow, state));
    }
  });
});

describe('metrics', () => {
  it('count times, retries, calls and parallel work from the log', () => {
    const { workflow, commits } = toTheEnd();
    expect(metrics(workflow, commits)).toEqual({
      workflow_id: 'i-1',
      total_time_seconds: 90,
      step_times: [
        { step: 1, duration_seconds: 10 },
        { step: 2, duration_seconds: 10 },
        { step: 3, duration_seconds: 20 },
        { step: 4, duration_seconds: 10 },
        { step: 5, duration_seconds: 10 },
        { step: 6, duration_seconds: 20 },
        { step: 7, duration_seconds: 10 },
      ],
      retry_count: 0,
      human_approval_time_seconds: 10,
      agent_calls: 8,
      parallel_executions: 2,
    });
  });

  it('count a retried attempt once, and nothing in an empty log', () => {
    const { workflow, commits } = untilGenerate().done().done({ outcome: 'fail' });
    expect(metrics(workflow, commits)).toMatchObject({ retry_count: 1 });
    expect(metrics(workflow, [])).toMatchObject({ total_time_seconds: 0, step_times: [] });
  });

  it.each<[string, (game: Game) => Game]>([
    [
      'by the clock',
      (game) => game.send('attempt', { event: 'opened', turn: game.state.turn }, SYSTEM).done(),
    ],
    ['by the work itself', (game) => game.done()],
    ['after a word in between', (game) => game.send('message', { text: 'Mind the tone.' }).done()],
  ])('MT2: an attempt that is opened %s is one call', (_, go) => {
    const attempts = { max: 3, backoff_seconds: 5, backoff_jitter: 0 };
    const workflow = load({
      id: 'tried',
      steps: [
        { id: 'a', agents: ['bot'], attempts },
        { id: 'b', agents: ['bot'] },
      ],
    });
    const { commits } = go(new Game(workflow).done({ outcome: 'fail' }));
    expect(metrics(workflow, commits)).toMatchObject({ agent_calls: 3, retry_count: 1 });
  });

  it('MT1: a commit by a clock that is behind takes no time back', () => {
    const { workflow, commits } = toTheEnd();
    const slow = commits.map((commit, i) =>
      i === 1 ? { ...commit, at: '2026-01-01T00:00:00.000Z' } : commit,
    );
    const { total_time_seconds, step_times } = metrics(workflow, slow);
    expect(
      [total_time_seconds, ...step_times.map((step) => step.duration_seconds)].every((n) => n >= 0),
    ).toBe(true);
    expect(step_times[0]).toEqual({ step: 1, duration_seconds: 0 });
  });
});
