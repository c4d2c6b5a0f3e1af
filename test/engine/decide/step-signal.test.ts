// What a signal on a step does: stay, complete, block, merge; and who may send it.
import { describe, expect, it } from 'vitest';
import { load } from '../../../shared/engine/compile/compile.ts';
import type { SignalBody } from '../../../shared/engine/model/signal.ts';
import { delivery, onboarding, steps } from '../../support/definitions.ts';
import { agent, BOSS, human, OWNER, play, STRANGER, unmarked } from '../../support/play.ts';

describe('what comes of a signal', () => {
  it.each<[string, SignalBody, string, string]>([
    ['no action means stay', {}, 'stayed', 'greeting'],
    ['stay stays', { action: 'stay' }, 'stayed', 'greeting'],
    ['complete_step goes on', { action: 'complete_step' }, 'advanced', 'discovery'],
    ['so does the outcome ok', { action: 'complete_step', outcome: 'ok' }, 'advanced', 'discovery'],
    [
      'an unknown outcome is refused',
      { action: 'complete_step', outcome: 'wow' },
      'invalid_request',
      'greeting',
    ],
    [
      'a required step is not skipped',
      { action: 'complete_step', outcome: 'skip' },
      'invalid_transition',
      'greeting',
    ],
    ['an unknown action is refused', { action: 'FLY' }, 'invalid_transition', 'greeting'],
    ['a step may be named by id', { action: 'complete_step', step: 'greeting' }, 'advanced', 'discovery'],
    ['or by number', { action: 'complete_step', step: 1 }, 'advanced', 'discovery'],
    ['or by number in text', { action: 'complete_step', step: '1' }, 'advanced', 'discovery'],
    ['a later step is refused', { action: 'complete_step', step: 'brain_dump' }, 'step_mismatch', 'greeting'],
    ['the right turn is taken', { action: 'complete_step', turn: 1 }, 'advanced', 'discovery'],
    ['an earlier turn is stale', { action: 'complete_step', turn: 0 }, 'stale_turn', 'greeting'],
    ['a later turn too', { action: 'complete_step', turn: 2 }, 'stale_turn', 'greeting'],
    ['the expected version fits', { action: 'complete_step', expected_version: 1 }, 'advanced', 'discovery'],
    [
      'another version conflicts',
      { action: 'complete_step', expected_version: 2 },
      'version_conflict',
      'greeting',
    ],
  ])('%s', (_, body, outcome, step) => {
    const game = play(onboarding).signal(body);
    expect([game.outcome, game.state.current_step]).toEqual([outcome, step]);
  });

  it('lists what is allowed instead of an action that is not', () => {
    const game = play(onboarding).signal({ action: 'FLY' });
    expect(game.decision).toMatchObject({
      refusal: { details: { allowed_actions: ['stay', 'need_input', 'complete_step'] } },
    });
    expect(game.recorded).toBe(true);
  });

  it('records the reach for a locked step, and not the one for a step that is done', () => {
    const game = play(onboarding).signal({ step: 'brain_dump' });
    expect([game.outcome, game.recorded]).toEqual(['step_mismatch', true]);
    game.done().signal({ step: 'greeting' });
    expect([game.outcome, game.recorded]).toEqual(['step_mismatch', false]);
  });

  it('refuses a late report for a step that was left and entered again', () => {
    const game = play(steps({ id: 'a' }, { id: 'b', next: { ok: null, iterate: 'a' } }));
    game.done({ turn: 1 }).done({ outcome: 'iterate', turn: 2 });
    expect(game.state.current_step).toBe('a');
    game.done({ turn: 1 });
    expect([game.outcome, game.recorded]).toEqual(['stale_turn', false]);
  });
});

describe('a step blocks until its criteria are met', () => {
  it.each<[string, number, string, unknown]>([
    ['none of three facts', 0, 'blocked', [{ required: 3, found: 0 }]],
    [
      'two of three facts',
      2,
      'blocked',
      [
        {
          type: 'memory_check',
          category: 'user_profile',
          required: 3,
          found: 2,
          reason: '2 of 3 facts about "user_profile" are known; collect 1 more.',
        },
      ],
    ],
    ['three of three facts', 3, 'advanced', []],
    ['more than enough', 9, 'advanced', []],
  ])('%s', (_, user_profile, outcome, missing) => {
    const game = play(onboarding).done().knowing({ memory: { user_profile } }).done();
    expect(game.outcome).toBe(outcome);
    expect(game.missing).toMatchObject(missing as object);
  });

  it('changes nothing but its number and its key, whatever the signal brought', () => {
    const game = play(onboarding).done().at('2026-03-01T13:00:00.000Z');
    game.signal(
      { action: 'complete_step', data: { a: 1, shared: { b: 2 } }, evidence: { c: 3 }, artifacts: { d: 4 } },
      { key: 'k', body: 'b' },
    );
    expect(game.outcome).toBe('blocked');
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
    expect(game.state.keys).toEqual([['k', 'b', 3]]);
    expect(game.types).toEqual(['workflow.step_blocked']);
    expect(game.told('workflow.step_blocked')[0]).toEqual({
      workflow_id: 'onboarding',
      current_step: 'discovery',
      reason: '0 of 3 facts about "user_profile" are known; collect 3 more.',
      missing_criteria: game.missing,
    });
  });

  it('names every output that is missing', () => {
    const game = play(steps({ id: 'a', outputs: ['plan', 'notes'] }));
    game.done({ artifacts: { notes: '' } });
    expect(game.missing).toMatchObject([
      { type: 'outputs', output: 'plan' },
      { type: 'outputs', output: 'notes' },
    ]);
    game.done({ artifacts: { plan: 'p.md', notes: 'n.md' } });
    expect(game.outcome).toBe('completed');
  });

  it('names every field of evidence that is missing or wrong', () => {
    const game = play(
      steps({
        id: 'a',
        evidence: {
          function_count: { type: 'integer', min: 1 },
          functions: { type: 'list', min_length: 1 },
          note: { type: 'string', required: false },
        },
      }),
    );
    game.done({ evidence: { function_count: 'three' } });
    expect(game.missing.map(({ reason }) => reason)).toEqual([
      'function_count (wrong type: expected integer, got string)',
      'functions (required: list)',
    ]);
    game.done({ evidence: { function_count: 0, functions: [] } });
    expect(game.missing.map(({ reason }) => reason)).toEqual([
      'function_count (validation failed: must be at least 1)',
      'functions (validation failed: must not be empty)',
    ]);
    game.done({ evidence: { function_count: 3, functions: ['a'] } });
    expect(game.outcome).toBe('completed');
  });
});

describe('what a signal brings', () => {
  it('merges shallowly into the step, and shared data into the context', () => {
    const game = play(onboarding)
      .signal({ data: { a: 1, nested: { x: 1 }, shared: { lang: 'de' } } })
      .signal({ data: { b: 2, nested: { y: 2 }, shared: { mood: 'fine' } } });
    expect(game.record().data).toEqual({ a: 1, b: 2, nested: { y: 2 } });
    expect(game.state.shared).toEqual({ lang: 'de', mood: 'fine' });
  });

  it('keeps artifacts of the workflow with the workflow', () => {
    const workflow = load({ id: 'w', artifacts: ['dir'], steps: [{ id: 'a' }] });
    const game = play(workflow).signal({ artifacts: { dir: '/tmp', own: 1 } });
    expect([game.state.artifacts, game.record().artifacts]).toEqual([{ dir: '/tmp' }, { own: 1 }]);
  });

  it.each<[string, SignalBody, string]>([
    ['started_at', { data: { started_at: 'now' } }, 'data.started_at'],
    ['completed_at', { data: { completed_at: 'now' } }, 'data.completed_at'],
    ['shared.deferred', { data: { shared: { deferred: [] } } }, 'data.shared.deferred'],
    ['shared, unless it is an object', { data: { shared: [] } }, 'data.shared'],
  ])('never sets %s', (_, body, path) => {
    const game = play(onboarding).signal(body);
    expect(game.decision).toMatchObject({
      refusal: { code: 'invalid_request', details: { issues: [{ path }] } },
    });
    expect(game.recorded).toBe(false);
  });

  it('does not set them through a widget either', () => {
    const game = play(onboarding).signal({ action: 'need_input', widget_type: 'form' });
    game.send('widget', { widget_type: 'form', data: { completed_at: 'now' } });
    expect(game.outcome).toBe('invalid_request');
    game.send('widget', { widget_type: 'form', data: { a: 1, shared: { lang: 'de' } } });
    expect([game.record().data, game.state.shared]).toEqual([{ a: 1 }, { lang: 'de' }]);
  });

  it('is seen by the guard of the same signal', () => {
    const game = play(
      steps({ id: 'a', transitions: [{ on: 'GO', to: null, guard: 'shared.ready == true && data.n > 1' }] }),
    );
    game.signal({ action: 'GO', data: { n: 2, shared: { ready: true } } });
    expect(game.outcome).toBe('completed');
  });
});

describe('who may act', () => {
  const both = steps({
    id: 'a',
    roles: ['dev', 'qa'],
    transitions: [{ on: 'GO', to: null, role: ['dev', 'qa'] }],
  });

  it.each([
    ['the owner acts on a step of agents', OWNER, 'advanced'],
    ["so does whoever holds the agent's name", agent('bot', 'greeter'), 'advanced'],
    ['another agent of the workflow does not', agent('bot', 'collector'), 'role_not_allowed'],
    ['an admin is not an agent', BOSS, 'role_not_allowed'],
    ['a stranger learns nothing', STRANGER, 'not_found'],
  ])('%s', (_, actor, outcome) => {
    expect(play(onboarding).as(actor).done().outcome).toBe(outcome);
  });

  it('records a wrong role as a violation that changes nothing but the number and the keys', () => {
    const game = play(onboarding).as(agent('bot', 'collector')).at('2026-03-01T13:00:00.000Z');
    game.signal({ action: 'complete_step', data: { a: 1 } }, { key: 'k', body: 'b' });
    expect(game.state).toEqual({ ...game.before, seq: 2, keys: [['k', 'b', 2]] });
    expect(game.told('workflow.violation')).toEqual([
      {
        workflow_id: 'onboarding',
        code: 'role_not_allowed',
        message: 'You may not act on step "greeting"; that is for the owner, greeter.',
        by: 'bot',
        kind: 'agent',
        current_step: 'greeting',
        attempted: 'complete_step',
      },
    ]);
  });

  it('judges the role before anything else', () => {
    const game = play(onboarding).as(agent('bot', 'collector')).done({ step: 'brain_dump', turn: 9 });
    expect(game.outcome).toBe('role_not_allowed');
  });

  it('leaves no trace of a stranger', () => {
    expect(play(onboarding).as(STRANGER).done().recorded).toBe(false);
  });

  it.each<[string, string | undefined, string[], string]>([
    ['a held role is found', undefined, ['qa'], 'qa'],
    ['the first of several held roles is taken', undefined, ['qa', 'dev'], 'dev'],
    ['a role in the body chooses among those held', 'qa', ['dev', 'qa'], 'qa'],
  ])('%s', (_, role, held, acting) => {
    const game = play(both).as(human('pat', ...held));
    game.signal({ action: 'GO', ...(role ? { role } : {}) });
    expect(game.hops).toEqual([`a → end by GO as ${acting}`]);
  });

  it('does not grant a role by naming it', () => {
    const game = play(both).as(human('pat', 'dev')).signal({ action: 'GO', role: 'qa' });
    expect([game.outcome, game.recorded]).toEqual(['role_not_allowed', true]);
  });

  it('keeps a step with roles from the owner', () => {
    expect(play(both).signal({ action: 'GO' }).outcome).toBe('role_not_allowed');
  });

  it("keeps a person's step from agents, claims included", () => {
    const game = play(steps({ id: 'a', human: true, roles: ['dev'] })).as(agent('bot', 'dev'));
    expect([game.done().outcome, game.recorded]).toEqual(['human_required', true]);
    expect(game.send('claim', {}).outcome).toBe('human_required');
    expect(game.as(human('pat', 'dev')).done().outcome).toBe('completed');
  });
});

describe('guards, feedback and implied transitions', () => {
  const dev = agent('dev-1', 'developer');
  const architect = agent('arch-1', 'architect');
  const committed = () =>
    play(delivery)
      .as(dev)
      .signal({ action: 'CLAIM_TASK' })
      .signal({ action: 'COMMIT_CODE', artifacts: { commit_sha: 'abc' } });

  it('blocks on a false guard and says what is not there', () => {
    const game = play(delivery).as(dev).signal({ action: 'CLAIM_TASK' }).signal({ action: 'COMMIT_CODE' });
    expect(game.outcome).toBe('blocked');
    expect(game.missing).toMatchObject([{ type: 'guard', action: 'COMMIT_CODE' }]);
    expect(game.missing[0]?.reason).toContain('artifacts.commit_sha');
  });

  it('passes through an implied transition: both are in the trail, the step changed once', () => {
    const game = committed().as(architect).signal({ action: 'APPROVE_DESIGN' });
    expect(game.hops).toEqual([
      'pending_arch_review → arch_review by CLAIM_REVIEW as architect',
      'arch_review → done by APPROVE_DESIGN as architect',
    ]);
    expect(game.told('workflow.step_changed')).toHaveLength(1);
    expect(game.state.status).toBe('completed');
  });

  it('does not let another role pass through it', () => {
    const game = committed().signal({ action: 'APPROVE_DESIGN' });
    expect([game.outcome, game.recorded]).toEqual(['role_not_allowed', true]);
  });

  it('blocks a rejection without feedback, as a whole', () => {
    const game = committed().as(architect).signal({ action: 'REJECT_DESIGN', feedback: '  ' });
    expect(game.missing).toMatchObject([{ type: 'feedback' }]);
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });

  it('hands the feedback of a rejection on, and lets it serve the revision', () => {
    const game = committed().as(architect).signal({ action: 'REJECT_DESIGN', feedback: 'No tests.' });
    expect(game.state).toMatchObject({ current_step: 'arch_rejected', feedback: 'No tests.' });
    expect(game.told('workflow.task.assigned')).toMatchObject([
      { assigned_to_role: 'developer', required_action: 'REVISE_CODE', feedback: 'No tests.' },
    ]);
    game.as(dev).signal({ action: 'REVISE_CODE' });
    expect(game.state).toMatchObject({ current_step: 'in_progress', feedback: 'No tests.' });
    game.signal({ action: 'COMMIT_CODE', artifacts: { commit_sha: 'def' } });
    expect(game.state).toMatchObject({ current_step: 'pending_arch_review', feedback: null });
  });

  it('brings evidence through an implied transition to the step that asks for it', () => {
    const workflow = steps(
      { id: 'a', transitions: [{ on: 'CLAIM', to: 'b', implied: true }] },
      { id: 'b', evidence: { n: { type: 'integer' } }, transitions: [{ on: 'GO', to: null }] },
    );
    expect(play(workflow).signal({ action: 'GO', evidence: { n: 1 } }).outcome).toBe('completed');
  });

  it('tells what that step asks for once it is open, not to whoever tries an action through it (V6)', () => {
    const secret = (name: string) => ({ type: 'integer', description: `SECRET ${name}` });
    const workflow = steps(
      { id: 'a', transitions: [{ on: 'CLAIM', to: 'b', implied: true }] },
      {
        id: 'b',
        evidence: { SECRET_n: secret('n'), SECRET_m: secret('m') },
        outputs: ['SECRET_output'],
        criteria: [{ type: 'guard', expression: 'data.x == "SECRET"', message: 'SECRET guard' }],
        transitions: [{ on: 'GO', to: null }],
      },
    );
    const game = play(workflow).signal({ action: 'GO', evidence: { SECRET_m: 'x' } });
    expect(game.outcome).toBe('blocked');
    expect(game.missing).toMatchObject(
      ['guard', 'evidence', 'outputs'].map((type) => ({
        type,
        step: 'b',
        reason: 'GO asks for more in step "b". Send CLAIM first: the step is then open and says what.',
      })),
    );
    expect(JSON.stringify([game.missing, game.events])).not.toContain('SECRET');
    expect(game.signal({ action: 'CLAIM' }).signal({ action: 'GO' }).missing).toHaveLength(4);
  });
});

describe('an implied transition into a step that goes on by itself', () => {
  it('does not carry the action past the step that comes after', () => {
    const workflow = steps(
      { id: 'a', transitions: [{ on: 'CLAIM', to: 'b', implied: true }] },
      {
        id: 'b',
        transitions: [
          { to: 'c', auto: true, guard: 'params.mode == "strict" || data.n == 1 || shared.strict == true' },
          { on: 'GO', to: 'd' },
        ],
      },
      { id: 'c', required: false, next: 'd' },
      { id: 'd' },
    );
    expect(play(workflow).signal({ action: 'GO' }).state.current_step).toBe('d');
    const game = play(workflow)
      .signal({ data: { shared: { strict: true } } })
      .signal({ action: 'GO' });
    expect(game.missing).toMatchObject([{ type: 'transition' }]);
    expect(unmarked(game.state)).toEqual(unmarked(game.before));
  });
});

describe('automatic transitions', () => {
  const workflow = steps(
    { id: 'a' },
    { id: 'b', transitions: [{ to: 'c', auto: true }] },
    { id: 'c', transitions: [{ to: 'd', auto: true, guard: 'shared.ready == true' }] },
    { id: 'd' },
  );

  it('run in the same commit, as far as their guards hold', () => {
    const game = play(workflow).done({ data: { shared: { ready: true } } });
    expect(game.hops.map((hop) => hop.split(' by')[0])).toEqual(['a → b', 'b → c', 'c → d']);
    expect(game.told('workflow.step_changed')).toHaveLength(1);
    expect(play(workflow).done().state.current_step).toBe('c');
  });

  it('run once a signal that stays makes the guard hold', () => {
    const game = play(workflow)
      .done()
      .signal({ data: { shared: { ready: true } } });
    expect([game.outcome, game.state.current_step]).toEqual(['advanced', 'd']);
  });

  it('run from the start on', () => {
    const game = play(steps({ id: 'a', transitions: [{ to: 'b', auto: true }] }, { id: 'b' }));
    expect(game.types).toEqual([
      'workflow.started',
      'workflow.state.changed',
      'workflow.step_changed',
      'workflow.task.assigned',
    ]);
  });
});

describe('outcomes', () => {
  it.each<[string, SignalBody, string, string]>([
    ['an optional step may be skipped', { outcome: 'skip' }, 'completed', 'skipped'],
    ['but completing it still checks its criteria', {}, 'blocked', 'in_progress'],
  ])('%s', (_, body, outcome, status) => {
    const game = play(steps({ id: 'a' }, { id: 'b', required: false, outputs: ['x'] }))
      .done()
      .done(body);
    expect([game.outcome, game.record('b').status]).toEqual([outcome, status]);
  });

  it('iterating enters the step again, counted, on a new turn', () => {
    const game = play(steps({ id: 'a', next: { ok: null, iterate: 'a' } })).done({ outcome: 'iterate' });
    expect(game.record()).toMatchObject({
      state: { iteration: 2 },
      visits: 2,
      turn: 2,
      status: 'in_progress',
    });
    expect(game.outcome).toBe('advanced');
  });

  it.each<[string, string, string]>([
    ['PASS', 'completed', 'a'],
    ['pass', 'completed', 'a'],
    ['FAIL', 'advanced', 'mend'],
    ['PARTLY', 'advanced', 'mend'],
    ['MAYBE', 'invalid_request', 'a'],
  ])('a dispatched agent that says %s: %s', (outcome, result, step) => {
    const workflow = steps(
      {
        id: 'a',
        handler: { dispatch: { agent: 'critic', outcomes: { PARTLY: 'fail' } } },
        next: { ok: null, fail: 'mend' },
      },
      { id: 'mend', required: false, next: 'a' },
    );
    const game = play(workflow).as(agent('bot', 'critic')).done({ outcome });
    expect([game.outcome, game.state.current_step]).toEqual([result, step]);
  });

  it('a step that fails without a way for it fails the workflow, and says what to do', () => {
    const game = play(steps({ id: 'a' })).done({ outcome: 'fail', feedback: 'The disk is full.' });
    expect(game.state).toMatchObject({
      status: 'failed',
      last_error: 'Step "a" failed: The disk is full. Mend the cause, then resume from "a".',
    });
    expect(game.told('workflow.failed')).toHaveLength(1);
  });
});

describe('a finished instance', () => {
  it('takes no more signals, and records none', () => {
    const game = play(steps({ id: 'a' }))
      .done()
      .signal({ data: { a: 1 } });
    expect([game.outcome, game.recorded]).toEqual(['workflow_finished', false]);
  });
});

describe('idempotency', () => {
  const key = { key: 'k1', body: 'b1' };

  it('answers a repeat with the commit it repeats, even once the instance is finished', () => {
    const game = play(steps({ id: 'a' })).signal({ action: 'complete_step' }, key);
    game.signal({ action: 'complete_step' }, key);
    expect([game.outcome, game.state.seq]).toEqual(['repeat of 2', 2]);
  });

  it('refuses the same key with another body', () => {
    const game = play(onboarding).signal({}, key).signal({ data: {} }, { key: 'k1', body: 'b2' });
    expect([game.outcome, game.recorded]).toEqual(['idempotency_mismatch', false]);
  });

  it('finds a recorded violation again by its key, and remembers nothing of a refusal that was not recorded', () => {
    const early = { action: 'complete_step', step: 'brain_dump' };
    const game = play(onboarding).signal(early, key);
    expect([game.outcome, game.recorded]).toEqual(['step_mismatch', true]);
    expect(game.state.keys).toEqual([['k1', 'b1', 2]]);
    game.signal(early, key);
    expect([game.outcome, game.state.seq]).toEqual(['repeat of 2', 2]);
    game.signal(early, { key: 'k1', body: 'b2' });
    expect([game.outcome, game.recorded]).toEqual(['idempotency_mismatch', false]);
    game.signal({ turn: 9 }, { key: 'k2', body: 'b' });
    expect([game.outcome, game.state.keys]).toEqual(['stale_turn', [['k1', 'b1', 2]]]);
  });

  it('a violation without a key leaves the keys alone', () => {
    const game = play(onboarding).signal({}, key).signal({ step: 'brain_dump' });
    expect([game.recorded, game.state.keys, game.state.seq]).toEqual([true, [['k1', 'b1', 2]], 3]);
  });

  it.each<[string, SignalBody]>([
    ['commits', {}],
    ['violations', { step: 'brain_dump' }],
  ])('remembers the latest 32 keys of %s', (_, body) => {
    const game = play(onboarding);
    for (let i = 0; i < 40; i++) game.signal(body, { key: `k${i}`, body: 'b' });
    expect(game.state.keys.map(([name]) => name)).toEqual(Array.from({ length: 32 }, (_, i) => `k${i + 8}`));
  });
});
