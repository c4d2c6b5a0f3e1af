// Names of the tools of a bound endpoint: the actions' own, in lower case, and those of what else is legal.
//   MC2  Two tools never have one name, and a name is one that every client takes.
import type { LegalAction, LegalMoves } from '../../../shared/engine/index.ts';

const READING = [
  'get_workflow_status',
  'get_next_step',
  'get_phase_content',
  'get_agent_context',
  'search_content',
] as const;

/** What is legal besides actions, in the order of the list. */
export const OTHERS = {
  approve_step: ({ approve }: LegalMoves) => approve,
  answer_questions: ({ answer }: LegalMoves) => answer,
  submit_widget: ({ widgets }: LegalMoves) => widgets.length > 0,
  claim_task: ({ claim }: LegalMoves) => claim,
  heartbeat_task: ({ holds_claim }: LegalMoves) => holds_claim,
  release_task: ({ holds_claim }: LegalMoves) => holds_claim,
  override_block: ({ override }: LegalMoves) => override,
  resume_workflow: ({ resume_from }: LegalMoves) => resume_from.length > 0,
  cancel_workflow: ({ cancel }: LegalMoves) => cancel,
} as const;
export type OtherName = keyof typeof OTHERS;

const RESERVED: ReadonlySet<string> = new Set([...READING, ...Object.keys(OTHERS)]);
const LONGEST = 64;

/** CLAIM_TASK and to claim the task are one thing, and one tool. */
export const actionsOf = ({ actions, claim }: LegalMoves): readonly LegalAction[] =>
  actions.filter(
    ({ action, same_as_claim }) => !(claim && same_as_claim && plainName(action) === 'claim_task'),
  );

const plainName = (action: string): string =>
  action
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '_')
    .slice(0, LONGEST);

export function actionNames(moves: LegalMoves): readonly string[] {
  const taken = new Set(RESERVED);
  return actionsOf(moves).map(({ action }, position) => {
    const plain = plainName(action);
    let name = /[a-z0-9]/.test(plain) && !taken.has(plain) ? plain : `action_${position + 1}`;
    while (taken.has(name)) name += '_';
    taken.add(name);
    return name;
  });
}

export const otherNames = (moves: LegalMoves): readonly OtherName[] =>
  (Object.keys(OTHERS) as OtherName[]).filter((name) => OTHERS[name](moves)); // its own keys

export const toolNames = (moves: LegalMoves): readonly string[] => [
  ...actionNames(moves),
  ...otherNames(moves),
  ...READING,
];
