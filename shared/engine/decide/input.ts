// Questions to a person, and what comes back: answers or a widget's result. Either assigns the step afresh,
// with what it had saved.
import type { Decision } from '../model/decision.ts';
import { holds, isAdmin } from '../model/actor.ts';
import type { SignalOf } from '../model/signal.ts';
import { guardClaim } from './claims.ts';
import type { Draft } from './draft.ts';
import { actingAnyhow } from './legal.ts';
import { merge } from './merge.ts';
import { followAutomatic } from './move.ts';
import { refuse, settle, staleTurn, violate } from './outcome.ts';
import { isOwner } from './permissions.ts';
import { RUNNING } from './status-part.ts';

export function askForInput(draft: Draft, signal: SignalOf<'signal'>): Decision {
  const { questions = [], widget_type } = signal.body;
  if (questions.length === 0 && widget_type === undefined) {
    return refuse(
      draft,
      'invalid_request',
      'need_input asks 1 to 3 questions with 2 or 3 options each, or names a widget_type.',
      {
        issues: [{ path: 'questions', message: 'ask 1 to 3 questions, or name a widget_type' }],
      },
    );
  }
  if (draft.status.status === 'waiting_approval')
    return refuse(
      draft,
      'invalid_transition',
      `Step "${draft.step.id}" waits for an approval; questions can be asked after it.`,
    );
  if (questions.length > 0 && !draft.step.supports_questions)
    return refuse(draft, 'invalid_transition', `Step "${draft.step.id}" asks no questions.`);
  const numbered = questions.map((question, i) => ({ ...question, id: question.id ?? `q${i + 1}` }));
  if (new Set(numbered.map(({ id }) => id)).size < numbered.length) {
    return refuse(draft, 'invalid_request', 'Two questions have the same id.', {
      issues: [{ path: 'questions', message: 'ids must differ' }],
    });
  }
  draft.patch({ status: 'waiting_input' } as Partial<typeof draft.record>);
  draft.status = {
    status: 'waiting_input',
    input: {
      questions: numbered,
      widget_type: widget_type ?? null,
      asked_by: draft.actor.sub,
      asked_at: draft.now,
    },
  };
  announceQuestions(draft);
  return settle(draft, signal, 'waiting', { reason: `Step "${draft.step.id}" waits for a person's input.` });
}

export function announceQuestions(draft: Draft): void {
  if (draft.status.status !== 'waiting_input') return;
  const { questions, widget_type } = draft.status.input;
  draft.emit('workflow.input.requested', {
    workflow_id: draft.workflow.id,
    step: draft.step.id,
    questions,
    widget_type,
  });
}

export function onAnswer(draft: Draft, signal: SignalOf<'answer'>): Decision {
  const { status, actor, step, from } = draft;
  if (actor.kind !== 'human')
    return violate(
      draft,
      signal,
      'human_required',
      'Questions are answered by a person; agents cannot answer them.',
    );
  if (!isOwner(from, actor) && !isAdmin(actor) && !step.roles_in_charge.some((role) => holds(actor, role))) {
    return violate(draft, signal, 'role_not_allowed', `The questions of "${step.id}" are for the owner.`);
  }
  const late = staleTurn(draft, signal.body.turn);
  if (late) return late;
  if (status.status !== 'waiting_input' || status.input.questions.length === 0)
    return refuse(draft, 'invalid_transition', `Step "${step.id}" has asked nothing.`);
  const { questions } = status.input;
  const given = signal.body.answers;
  const answerTo = (id: string, position: number) =>
    Array.isArray(given) ? given[position] : Object.hasOwn(given, id) ? given[id] : undefined;
  const issues = questions.flatMap(({ id }, i) =>
    answerTo(id, i)?.trim() ? [] : [{ path: `answers.${id}`, message: 'is missing' }],
  );
  const extra = Array.isArray(given)
    ? given.length > questions.length
    : Object.keys(given).some((id) => !questions.some((question) => question.id === id));
  if (extra)
    issues.push({ path: 'answers', message: `answers only: ${questions.map(({ id }) => id).join(', ')}` });
  if (issues.length > 0)
    return refuse(
      draft,
      'invalid_request',
      `The answers are incomplete: ${issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`,
      { issues },
    );
  const answers = questions.map(({ id, question }, i) => ({ question, answer: answerTo(id, i) ?? '' }));
  goOn(draft, { answers: [...draft.record.answers, ...answers] });
  draft.emit('workflow.input.answered', {
    workflow_id: draft.workflow.id,
    step: step.id,
    answers,
    by: actor.sub,
  });
  return settle(draft, signal, 'stayed');
}

export function onWidget(draft: Draft, signal: SignalOf<'widget'>): Decision {
  const { step, actor, from, workflow, status } = draft;
  const { widget_type, items = [], data } = signal.body;
  if (!isOwner(from, actor) && actingAnyhow(workflow, from, step, actor) === null)
    return violate(draft, signal, 'role_not_allowed', `Step "${step.id}" is not yours.`);
  const late = staleTurn(draft, signal.body.turn) ?? (isOwner(from, actor) ? null : guardClaim(draft));
  if (late) return late;
  const asked = status.status === 'waiting_input' && status.input.widget_type === widget_type;
  const wanted = step.criteria.some(
    ({ type, params }) => type === 'widget_completed' && params.widget_type === widget_type,
  );
  if (!asked && !wanted) {
    return violate(
      draft,
      signal,
      'invalid_transition',
      `Step "${step.id}" does not use the widget "${widget_type}".`,
      { current_step: step.id },
    );
  }
  const refused = merge(draft, data ? { data } : {});
  if (refused) return refused;
  const widgets = { ...draft.record.widgets, [widget_type]: { items, at: draft.now } };
  if (asked) goOn(draft, { widgets });
  else draft.patch({ widgets });
  draft.emit('workflow.input.answered', {
    workflow_id: workflow.id,
    step: step.id,
    widget_type,
    items: items.length,
    by: actor.sub,
  });
  const { entered } = draft.record;
  followAutomatic(draft, { action: 'WIDGET', role: 'owner' });
  const moved = draft.record.entered !== entered || draft.status.status === 'completed';
  return settle(draft, signal, moved ? null : 'stayed');
}

/** The step goes on: same visit, next turn, with what came back. */
function goOn(draft: Draft, change: Partial<Draft['record']>): void {
  draft.patch({ status: 'in_progress', ...change } as Partial<Draft['record']>);
  draft.status = RUNNING;
  draft.reassign();
}
