// The classifier that ships with Stepgate: no model, no network, only the words that definitions list as `intents`.
//   LC1  It would rather say nothing than be wrong: one word in passing, or words of several steps, make it unsure.
//   LC2  What is asked for at the beginning ("write down …", "напомни …") counts for more; what is told ("I bought …",
//        "задача номер один …"), asked back ("напомни, о чём …") or negated ("не записывай …") does not.
import type { Classifier, Guess, Intended } from '../../ports.ts';
import { stemsOf, type Word, wordsOf } from './words.ts';

type Phrase = readonly string[];

/** How much one intent that occurs tells: a phrase more than a word, and more at the beginning. */
const WORD = 1;
const PHRASE = 1.5;
const LEADING = 1.5;
/** Between the words of a phrase there may be so many others: "write it down". */
const GAP = 2;

/** What politely comes before what is asked for. */
const COURTESY = new Set(
  stemsOf(
    'hello hi hey thanks please kindly can could may would will you ok okay so and also just let lets us me i we want to need ' +
      'привет здравствуй здравствуйте спасибо пожалуйста можно можешь можете мог могла бы будь добр добра ты вы мне мы я хочу хотел ' +
      'надо нужно давай давайте ну а и еще ой слушай кстати',
  ),
);
/** A wish is not yet a request: "I want to buy a house" is said of what matters, too; so is what "I" do. */
const OF_ONESELF = new Set(stemsOf('want need i we хочу хотел надо нужно я мы'));
/** "Can I …?" asks for it again. */
const MAY = new Set(stemsOf('can could may можно можешь можете могу'));
const NEGATIONS = new Set(stemsOf('not never without nothing не ни ничего нечего без'));
const AFTER_ALL = new Set(stemsOf('nothing нечего'));
const QUESTIONS = new Set(
  stemsOf(
    'what who which why how when where whether что чем чего как какой какая какие какое почему зачем кто где куда когда',
  ),
);
const ABOUT = new Set(stemsOf('about of о об про на'));

/** Code and addresses say nothing: fenced or quoted by backticks, links, and words held together by dots and brackets. */
const CODE =
  /```[^]*?(?:```|$)|`[^`]*`|\b\w{1,20}:\/\/\S+|(?<![\w$])[\w$]{1,80}(?:(?:\.|::|->)[\w$]+|[({]\S*)+/g;

export const lexicalClassifier: Classifier = {
  classify: (text, steps) => Promise.resolve(guess(text, steps)),
};

function guess(text: string, steps: readonly Intended[]): Guess | null {
  const said = wordsOf(text.replaceAll(CODE, ' '));
  const begins = beginning(said);
  const scored = phrasesOf(steps)
    .map(({ id, phrases }) => ({ id, score: scoreOf(said, begins, phrases) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = scored;
  if (!best || best.score === 0) return null;
  const strength = 1 - 0.5 ** best.score;
  const distance = (best.score - (second?.score ?? 0)) / best.score;
  return { step: best.id, confidence: Math.round(strength * distance * 100) / 100 };
}

interface Beginning {
  /** Where something is said; what comes before is courtesy. */
  readonly at: number;
  /** It is asked for, not told or wished. */
  readonly asked: boolean;
}

function beginning(said: readonly Word[]): Beginning {
  const at = said.findIndex(({ stem }) => !COURTESY.has(stem));
  const first = said[at];
  if (!first) return { at: 0, asked: false };
  const before = said.slice(0, at).map(({ stem }) => stem);
  const told = before.findIndex((word) => OF_ONESELF.has(word));
  const asked = told === -1 || before.slice(0, told).some((word) => MAY.has(word));
  return { at, asked: asked && (first.asks || first.label) };
}

/** Every stretch of the text counts once, for the longest phrase that is found there. */
function scoreOf(
  said: readonly Word[],
  { at: begins, asked }: Beginning,
  phrases: readonly Phrase[],
): number {
  const words = said.map(({ stem }) => stem);
  const taken = new Set<number>(words.slice(0, begins).keys());
  let score = 0;
  for (const phrase of phrases) {
    const at = find(words, phrase, taken);
    if (at === null) continue;
    for (const position of at) taken.add(position);
    if (isNegated(words, at)) continue;
    const leads = asked && at[0] === begins && !asksBack(words, at);
    score += (phrase.length > 1 ? PHRASE : WORD) * (leads ? LEADING : 1);
  }
  return score;
}

/** "не записывай", "добавить нечего". */
const isNegated = (words: readonly string[], at: readonly number[]): boolean =>
  NEGATIONS.has(words[(at[0] ?? 0) - 1] ?? '') || AFTER_ALL.has(words[(at.at(-1) ?? 0) + 1] ?? '');

/** "Remind me what you said", "напомни, о чём мы говорили". */
function asksBack(words: readonly string[], at: readonly number[]): boolean {
  const next = words.slice((at.at(-1) ?? 0) + 1).find((word) => !COURTESY.has(word) && !ABOUT.has(word));
  return next !== undefined && QUESTIONS.has(next);
}

/** The positions of a phrase's words, in order and close together. */
function find(words: readonly string[], phrase: Phrase, taken: ReadonlySet<number>): number[] | null {
  for (let start = 0; start < words.length; start++) {
    const at: number[] = [];
    for (let i = start; i < words.length && at.length < phrase.length; i++) {
      if (words[i] === phrase[at.length] && !taken.has(i)) at.push(i);
      else if (at.length === 0 || i - (at.at(-1) ?? i) > GAP) break;
    }
    if (at.length === phrase.length) return at;
  }
  return null;
}

interface Known {
  readonly id: string;
  /** Longest first, each once. */
  readonly phrases: readonly Phrase[];
}

const known = new WeakMap<readonly Intended[], readonly Known[]>();

/** Worked out once for each definition. */
function phrasesOf(steps: readonly Intended[]): readonly Known[] {
  const found = known.get(steps);
  if (found) return found;
  const made = steps
    .filter(({ intents }) => intents.length > 0)
    .map(({ id, intents }) => {
      const distinct = new Map(intents.map((intent) => [stemsOf(intent).join(' '), stemsOf(intent)]));
      const phrases = [...distinct.values()].filter(({ length }) => length > 0);
      return { id, phrases: phrases.toSorted((a, b) => b.length - a.length) };
    });
  known.set(steps, made);
  return made;
}
