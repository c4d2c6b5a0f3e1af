// GET /workflows/{id}/content?q=: a search over what an instance has unlocked, ranked, within a budget of tokens.
import MiniSearch from 'minisearch';
import { type Actor, CHARACTERS_PER_TOKEN, tokensIn } from '../engine/index.ts';
import type { App } from './app.ts';
import { findInstance } from './find-instance.ts';
import { type Passage, passagesOf } from './passages.ts';

export interface ContentQuery {
  readonly q: string;
  readonly limit: number;
  readonly max_tokens: number;
}

/** So many words of a question are looked for. */
const MOST_WORDS = 32;

export async function searchContent(
  app: App,
  id: string,
  caller: Actor,
  { q, limit, max_tokens }: ContentQuery,
) {
  const { workflow, state } = await findInstance(app, id, caller);
  const passages = passagesOf(workflow, state);
  const results = [];
  let total_tokens = 0;
  let truncated = false;
  for (const { passage, score } of rank(passages, q)) {
    const { id: _, ...source } = passage;
    // The best passage is always there, if only its beginning.
    const text: string =
      results.length > 0 ? passage.text : passage.text.slice(0, max_tokens * CHARACTERS_PER_TOKEN);
    const tokens = tokensIn(text);
    if (results.length === limit || total_tokens + tokens > max_tokens) {
      truncated = true;
      break;
    }
    truncated = text.length < passage.text.length;
    total_tokens += tokens;
    results.push({ ...source, text, score: Math.round(score * 1000) / 1000, tokens });
  }
  return {
    instance_id: state.instance_id,
    workflow_id: state.workflow_id,
    version: state.seq,
    query: q,
    results,
    sources: [...new Set(results.map(({ step_id, part }) => `${step_id}#${part}`))],
    total_tokens,
    truncated,
  };
}

function rank(passages: readonly Passage[], q: string): { passage: Passage; score: number }[] {
  const index = new MiniSearch<Passage>({ fields: ['title', 'heading', 'text'], tokenize: wordsOf });
  index.addAll(passages);
  const words = q.split(/\s+/).filter(Boolean).slice(0, MOST_WORDS).join(' ');
  const found = index.search(words, {
    boost: { title: 2, heading: 1.5 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  });
  return found.flatMap(({ id, score }) => {
    const passage = passages[Number(id)];
    return passage ? [{ passage, score }] : [];
  });
}

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}]/u;
const spaced = MiniSearch.getDefault('tokenize') as (text: string) => string[]; // documented so

function wordsOf(text: string): string[] {
  if (!UNSPACED.test(text)) return spaced(text);
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
  return spaced(text).flatMap((word) =>
    UNSPACED.test(word) ? [...segmenter.segment(word)].map(({ segment }) => segment) : [word],
  );
}
