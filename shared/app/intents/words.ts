// A text as the stems of its words, so that "запиши", "Запишите" and "записать", or "task" and "tasks", meet.
// No dictionary: endings are cut off, and the consonants that Russian verbs exchange are made equal.

const MOST_WORDS = 400;

export interface Word {
  readonly stem: string;
  /** It may be what is asked for: "запиши", "записать", but neither "записал" nor "задача"; English says no such thing. */
  readonly asks: boolean;
  /** A colon follows. */
  readonly label: boolean;
}

/** The stems of a text's words, in order. */
export const stemsOf = (text: string): readonly string[] => wordsOf(text).map(({ stem }) => stem);

/** The words of a text, in order. */
export function wordsOf(text: string): readonly Word[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replaceAll(/n['’`]t\b/g, ' not')
    .replaceAll(/['’`]s?(?=\P{L}|$)/gu, '')
    .replaceAll(/\bto-do/g, 'todo');
  return [...plain.matchAll(/([\p{L}\p{N}]{1,40})(\s*:)?/gu)]
    .slice(0, MOST_WORDS)
    .map(([, word = '', colon]) => ({ stem: stem(word), asks: mayAsk(word), label: colon !== undefined }));
}

/** Infinitives and imperatives in Russian; whatever is neither past nor a gerund in English. */
function mayAsk(word: string): boolean {
  return /^[а-я]+$/.test(word) ? /(?:[ьий]|те|чь)$/.test(word) : !/[aeiou].*(?:ing|(?<!e)ed)$/.test(word);
}

function stem(word: string): string {
  if (/^[а-я]+$/.test(word)) return russian(word);
  return /^[a-z]+$/.test(word) ? english(word) : word;
}

const REFLEXIVE = /(?:ся|сь)$/;
/** Longest first; what remains has at least three letters. */
const ENDINGS = [
  'ованиями ованиях ованием ирование',
  'ывайте ивайте овайте ениями ость ости остью остей',
  'ывать ивать овать ывает ивает аешь иями ением ениях ениям',
  'айте яйте ейте ите уйте аете яете ешь ишь ать ять еть ить уть оть ами ями ого его ому ему ыми ими ием иях иям',
  'ает яет еет ует уют ают яют али яли ели или ала яла ела ила ало яло ело ило ите ете ена ено ены ить',
  'ах ях ам ям ом ем ой ей ый ий ая яя ое ее ые ие ую юю их ых им ым ов ев ью ия ию ии ай яй ал ял ел ил ла ло ли ла ем ут ют ат ят ет ит ть',
  'а я о е ы и у ю ь й',
]
  .join(' ')
  .split(' ')
  .toSorted((a, b) => b.length - a.length);

/** купить, куплю; писать, пиши; звонок, звонка; искать, ищи. */
const ALTERNATIONS: readonly (readonly [RegExp, string])[] = [
  [/([бпвфм])л$/, '$1'],
  [/ст$/, 'щ'],
  [/ск$/, 'щ'],
  [/[сх]$/, 'ш'],
  [/[зд]$/, 'ж'],
  [/[кт]$/, 'ч'],
];
const SHORTEST = 3;

function russian(word: string): string {
  const plain = word.length > SHORTEST + 2 ? word.replace(REFLEXIVE, '') : word;
  const ending = ENDINGS.find((end) => plain.endsWith(end) && plain.length - end.length >= SHORTEST);
  const cut = ending === undefined ? plain : plain.slice(0, -ending.length);
  const steady = cut.length > SHORTEST ? cut.replace(/[ео]к$/, 'к') : cut;
  const found = ALTERNATIONS.find(([from]) => from.test(steady));
  return found ? steady.replace(found[0], found[1]) : steady;
}

function english(word: string): string {
  const plain = word.length > 3 && /[^s]s$/.test(word) ? word.replace(/(?:(?<=[sxz]|ch|sh)es|s)$/, '') : word;
  const base = plain.length > 5 ? plain.replace(/(?:ing|ed)$/, '') : plain;
  const single = base !== plain ? base.replace(/([bdgmnprt])\1$/, '$1') : base;
  return single.replace(/(?<=\w{3})(?:ie|y)$/, 'i').replace(/(?<=\w{4})e$/, '');
}
