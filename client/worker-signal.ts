// What a handler returns, before it is sent: a missing or malformed workflow_signal is found here, with a sentence
// that says what is wrong with it.
import { recordOf } from './error.ts';
import type { Signal } from './shapes.ts';

/** `reply` is told to the person; `workflow_signal` says what becomes of the step. */
export interface Handled {
  readonly workflow_signal?: Signal;
  readonly reply?: string;
}

/** What is said to the person is said, whatever is wrong with the signal. */
export type ReadHandled = { readonly signal: Signal } | { readonly problem: string; readonly reply?: string };

const OBJECTS = ['data', 'evidence', 'artifacts'];
const TEXTS = ['action', 'outcome', 'feedback', 'role', 'agent', 'reply', 'widget_type'];
const OTHERS = ['step', 'turn', 'questions', 'expected_version'];
const ACTION = /^[\p{L}_][\p{L}\p{N}_.-]{0,99}$/u;

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function readHandled(value: unknown): ReadHandled {
  if (!isObject(value)) return { problem: 'nothing was returned' };
  const { workflow_signal, reply } = recordOf(value);
  const said: { reply?: string } = typeof reply === 'string' && reply.trim() !== '' ? { reply } : {};
  if (workflow_signal === undefined) return { problem: 'there is no workflow_signal', ...said };
  if (!isObject(workflow_signal)) return { problem: 'workflow_signal is not an object', ...said };
  const signal = recordOf(workflow_signal);
  const problem = problemOf(signal) ?? unwritable(signal);
  if (problem !== null) return { problem, ...said };
  signal['reply'] ??= said.reply;
  return { signal: signal as Signal }; // checked above; the server checks it again
}

/** A BigInt, or a circle. */
function unwritable(signal: object): string | null {
  try {
    JSON.stringify(signal);
    return null;
  } catch (error) {
    return `workflow_signal is no JSON (${String(error)})`;
  }
}

function problemOf(signal: Readonly<Record<string, unknown>>): string | null {
  for (const [key, value] of Object.entries(signal)) {
    if (value === undefined || OTHERS.includes(key)) continue;
    if (OBJECTS.includes(key) && !isObject(value)) return `${key} is not an object`;
    if (TEXTS.includes(key) && typeof value !== 'string') return `${key} is not a text`;
    if (!OBJECTS.includes(key) && !TEXTS.includes(key)) return `${key} is not known`;
  }
  const { action = 'stay', questions, widget_type } = signal;
  if (!ACTION.test(String(action))) return `"${String(action)}" is not an action`;
  if (questions !== undefined && !areQuestions(questions))
    return 'questions are 1 to 3, each with a question and 2 or 3 options';
  if (action === 'need_input' && questions === undefined && widget_type === undefined)
    return 'need_input asks questions or names a widget_type';
  return null;
}

const areQuestions = (value: unknown): boolean =>
  Array.isArray(value) && value.length >= 1 && value.length <= 3 && value.every(isQuestion);

function isQuestion(value: unknown): boolean {
  const { question, options } = recordOf(value);
  return typeof question === 'string' && Array.isArray(options) && options.length >= 2 && options.length <= 3;
}
