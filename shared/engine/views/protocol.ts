// The coordination protocol: what happens to an agent's work, in sentences worked out from the graph. Of other
// steps only ids, roles and actions are told.
import { type Step, stepAt, type Transition, type Workflow } from '../model/workflow.ts';
import { peopleOf } from './in-charge.ts';
import { askFor, choices, decidingStep, mainWay, restingStep } from './routes.ts';

export function coordinationProtocol(
  workflow: Workflow,
  resting: Step,
  responsibilities: string | null,
): string[] {
  if (resting.final !== null) return ['The workflow has ended; there is nothing left to do.'];
  const step = decidingStep(workflow, resting);
  const said = [responsibilities?.trim() || `Do the work of step "${step.id}".`];
  const main = mainWay(step);
  if (!main) return said;
  said.push(`When it is done, send ${askFor(main)}.`);
  if (step.approval)
    said.push(
      'A person must then approve it; agents cannot. If it is rejected, it comes back to you with feedback and a new turn.',
    );
  for (const other of choices(step)) if (other.on !== main.on) said.push(alternative(workflow, other));
  const next = restingStep(workflow, main.to);
  if (next === null) return [...said, 'The workflow is then complete.'];
  said.push(`Your work then goes to ${names(next)} at step "${next.id}".`);
  const judging = decidingStep(workflow, next);
  const answers = choices(judging);
  if (answers.length < 2) return said;
  const good = mainWay(judging);
  said.push(`They answer with ${list(answers.map(askFor), 'or')}.`);
  for (const answer of answers.filter(({ on }) => on !== good?.on))
    said.push(consequence(workflow, judging, answer, step));
  if (good) said.push(consequence(workflow, judging, good, step));
  return said;
}

function alternative(workflow: Workflow, way: Transition): string {
  const to = restingStep(workflow, way.to);
  const goes = to === null ? 'the workflow ends' : `the work goes to ${names(to)} at step "${to.id}"`;
  return `Instead you may send ${askFor(way)}${wantsFeedback(workflow, way) ? ' with feedback' : ''}; ${goes}.`;
}

/** The way itself, or the revising one behind it, asks for feedback. */
function wantsFeedback(workflow: Workflow, way: Transition): boolean {
  if (way.feedback_required || way.to === null) return way.feedback_required;
  return stepAt(workflow, way.to).transitions.some(({ feedback_required }) => feedback_required);
}

function consequence(workflow: Workflow, judging: Step, way: Transition, mine: Step): string {
  const on = `On ${askFor(way)}`;
  const to = restingStep(workflow, way.to);
  if (to === null) return `${on} the workflow ends.`;
  const back = decidingStep(workflow, to);
  const returns = back.index === mine.index || to.index === mine.index;
  if (!returns) return `${on} the work goes on to ${names(to)} at step "${to.id}".`;
  const action = to.index === back.index ? mainWay(back) : mainWay(to);
  const revise = action && to.index !== back.index ? `; go on with ${askFor(action)}` : '; do it again';
  const feedback = way.completes && !wantsFeedback(workflow, way) ? '' : ' with feedback';
  return `${on} it comes back from ${names(judging)} to you${feedback}${revise}.`;
}

const names = (step: Step): string => list(peopleOf(step), step.teamwork === 'any' ? 'or' : 'and');

function list(words: readonly string[], joint: 'and' | 'or'): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`;
}
