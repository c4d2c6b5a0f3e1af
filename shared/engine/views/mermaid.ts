// A workflow as a Mermaid state diagram.
//   M1  Steps are s1, s2 …; every name and label is escaped, so that no definition can break the diagram.
import type { Step, Transition, Workflow } from '../model/workflow.ts';

const LABEL_LIMIT = 120;

/** `revealed`: for authors and admins. Anyone else sees that a guard is there, not what it asks (SPEC: locked). */
export function mermaid(workflow: Workflow, revealed = false): string {
  const { steps, entry, form } = workflow;
  const lines = ['stateDiagram-v2', '  direction TB'];
  for (const step of steps)
    lines.push(
      `  state "${escape(nameOf(step, form, revealed || workflow.visibility === 'open'))}" as ${idOf(step.index)}`,
    );
  lines.push(`  [*] --> ${idOf(entry)}`);
  for (const step of steps) {
    for (const transition of step.transitions) {
      const to = transition.to === null ? '[*]' : idOf(transition.to);
      lines.push(`  ${idOf(step.index)} --> ${to} : ${labelOf(transition, revealed)}`);
    }
    if (step.final !== null) lines.push(`  ${idOf(step.index)} --> [*] : ${step.final}`);
  }
  const failing = steps.filter(({ final }) => final === 'failure');
  if (failing.length > 0) {
    lines.push('  classDef failure stroke-dasharray: 4');
    lines.push(`  class ${failing.map(({ index }) => idOf(index)).join(',')} failure`);
  }
  return `${lines.join('\n')}\n`;
}

const idOf = (index: number): string => `s${index + 1}`;

/** In the FSM form nothing is required unless it says so: only the step list marks what is optional. */
function nameOf(
  { number, id, title, required, final }: Step,
  form: Workflow['form'],
  titled: boolean,
): string {
  const name = !titled || title === id ? id : `${title} (${id})`;
  return `${number}. ${name}${required || final !== null || form === 'fsm' ? '' : ', optional'}`;
}

function labelOf({ on, roles, guard, auto }: Transition, revealed: boolean): string {
  const parts = [escape(on)];
  if (auto) parts.push('(auto)');
  if (roles.length > 0) parts.push(`by ${escape(roles.join(', '))}`);
  if (guard) parts.push(revealed ? `[${escape(guard.source)}]` : '[guarded]');
  return parts.join(' ');
}

/** Plain letters, digits and harmless marks stay; anything else becomes a Mermaid entity code (M1). */
function escape(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  const characters = Array.from(flat);
  const short = characters.length > LABEL_LIMIT ? [...characters.slice(0, LABEL_LIMIT - 1), '…'] : characters;
  return short
    .map((char) => (/^[\p{L}\p{N} _.,()/+…-]$/u.test(char) ? char : `#${char.codePointAt(0)};`))
    .join('');
}
