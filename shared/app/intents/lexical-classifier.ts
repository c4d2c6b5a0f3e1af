// The classifier that ships with Stepgate: no model, no network, only the words that definitions list as `intents`.
//   LC1  It would rather say nothing than be wrong: one word in passing, or words of several steps, make it unsure.
//   LC2  What is asked for at the beginning ("write down …", "напомни …") counts for more.
import type { Classifier, Guess, Intended } from '../../ports.ts';
import { stemsOf } from './words.ts';

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
    'please kindly can could would will you hey ok okay so and also just let lets us me i want to need ' +
      'пожалуйста можешь можете мог могла бы будь добр добра ты вы мне мы я хочу хотел надо нужно давай давайте ну а и еще слушай кстати',
  ),
);
/** A wish is not yet a request: "I want to buy a house" is said of what matters, too. */
const WISHES = new Set(stemsOf('want need хочу хотел надо нужно'));

export const lexicalClassifier: Classifier = {
  classify: (text, steps) => Promise.resolve(guess(text, steps)),
};

function guess(text: string, steps: readonly Intended[]): Guess | null {
  const words = stemsOf(text);
  const begins = beginning(words);
  const scored = phrasesOf(steps)
    .map(({ id, phrases }) => ({ id, score: scoreOf(words, begins, phrases) }))
    .toSorted((a, b) => b.score - a.score);
  const [best, second] = scored;
  if (!best || best.score === 0) return null;
  const strength = 1 - 0.5 ** best.score;
  const distance = (best.score - (second?.score ?? 0)) / best.score;
  return { step: best.id, confidence: Math.round(strength * distance * 100) / 100 };
}

/** Where what is asked for begins; beyond the end if it is only wished for. */
function beginning(words: readonly string[]): number {
  const first = words.findIndex((word) => !COURTESY.has(word));
  return words.slice(0, Math.max(first, 0)).some((word) => WISHES.has(word)) ? words.length : first;
}

/** Every stretch of the text counts once, for the longest phrase that is found there. */
function scoreOf(words: readonly string[], begins: number, phrases: readonly Phrase[]): number {
  const taken = new Set<number>();
  let score = 0;
  for (const phrase of phrases) {
    const at = find(words, phrase, taken);
    if (at === null) continue;
    for (const position of at) taken.add(position);
    score += (phrase.length > 1 ? PHRASE : WORD) * (at[0] === begins ? LEADING : 1);
  }
  return score;
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
