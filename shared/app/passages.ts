// The text of an instance that is open to its readers, cut into passages: what a search may look at.
//   V5  Only steps that are unlocked are read, whoever asks: a passage of a locked one is never made.
import {
  currentStep,
  isUnlocked,
  type Json,
  recordOf,
  type State,
  type Step,
  type Workflow,
} from '../engine/index.ts';

export interface Passage {
  readonly id: number;
  readonly step: number;
  readonly step_id: string;
  readonly title: string;
  /** "content", "instructions", "artifacts.draft" … */
  readonly part: string;
  /** The nearest heading above it, if there is one. */
  readonly heading: string | null;
  readonly text: string;
}

const LONGEST = 1_200;
/** Of one artifact: enough to find it by, not a copy of it. */
const MOST_OF_ARTIFACT = 20_000;

export function passagesOf(workflow: Workflow, state: State): Passage[] {
  const found: Omit<Passage, 'id'>[] = [];
  const current = currentStep(workflow, state);
  for (const step of workflow.steps) {
    if (!isUnlocked(state, step)) continue;
    const { number, id, title } = step;
    for (const [part, text] of partsOf(state, step, step === current))
      for (const cut of cutUp(text)) found.push({ step: number, step_id: id, title, part, ...cut });
  }
  for (const [name, value] of Object.entries(state.artifacts))
    for (const cut of cutUp(textOf(value)))
      found.push({
        step: current.number,
        step_id: current.id,
        title: workflow.title,
        part: `artifacts.${name}`,
        ...cut,
      });
  return found.map((passage, id) => ({ id, ...passage }));
}

function partsOf(state: State, step: Step, current: boolean): [part: string, text: string][] {
  const parts: [string, string][] = [
    ['content', step.content],
    ['instructions', step.instructions],
    ['actions', step.actions.join('\n')],
    // The first words of the content, where there is one.
    ['description', step.content === '' ? step.description : ''],
  ];
  const record = recordOf(state, step);
  if (record && !current) {
    for (const [name, value] of Object.entries(record.artifacts))
      parts.push([`artifacts.${name}`, textOf(value)]);
    for (const [name, value] of Object.entries(record.evidence))
      parts.push([`evidence.${name}`, textOf(value)]);
  }
  return parts.filter(([, text]) => text.trim() !== '');
}

const textOf = (value: Json): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, MOST_OF_ARTIFACT);

/** Paragraph by paragraph, short ones together, under the heading they belong to. */
function cutUp(text: string): { heading: string | null; text: string }[] {
  const cuts: { heading: string | null; text: string }[] = [];
  let heading: string | null = null;
  let open = '';
  const close = () => {
    if (open.trim() !== '') cuts.push({ heading, text: open.trim() });
    open = '';
  };
  for (const block of text.split(/\n{2,}/)) {
    const [, title] = /^#{1,6}\s+(.+)$/.exec(block.trim()) ?? [];
    if (title !== undefined) {
      close();
      heading = title.trim();
      continue;
    }
    for (let at = 0; at < block.length; at += LONGEST) {
      const piece = block.slice(at, at + LONGEST);
      if (open.length + piece.length > LONGEST) close();
      open += `${open === '' ? '' : '\n\n'}${piece}`;
    }
  }
  close();
  return cuts;
}
