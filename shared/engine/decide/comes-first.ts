// What a person is told whose message belongs to a later step, in the language of the message.
import type { Step, Workflow } from '../model/workflow.ts';

type Language = 'en' | 'ru';

/** By the letters: more Cyrillic than Latin ones is Russian. */
function languageOf(text: string): Language {
  const cyrillic = text.match(/\p{Script=Cyrillic}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
  return cyrillic > latin ? 'ru' : 'en';
}

/** The definition's own words, or ours around its titles. Of the later step only its title is told, if that shows. */
export function whyFirst(workflow: Workflow, current: Step, later: Step, text: string): string {
  const language = languageOf(text);
  const { comes_first: own, title, description } = current;
  if (typeof own === 'string') return own;
  const told = own?.[language] ?? own?.['en'] ?? Object.values(own ?? {})[0];
  if (told !== undefined) return told;
  const its = workflow.visibility === 'strict' ? null : later.title;
  const why = description === '' ? '' : ` ${description}`;
  return WORDS[language](title, its) + why;
}

const WORDS: Readonly<Record<Language, (current: string, later: string | null) => string>> = {
  en: (current, later) =>
    `Good point. I have noted it for ${later === null ? 'later' : `"${later}"`} and it will not be forgotten. "${current}" comes first.`,
  ru: (current, later) =>
    `Хорошая мысль. Записано на потом${later === null ? '' : `, до шага «${later}»`}, не потеряется. Сначала закончим «${current}».`,
};
