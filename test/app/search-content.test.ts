// Gated search: ranked passages of what is unlocked, within a budget, with their sources.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../shared/app/app.ts';
import { passagesOf } from '../../shared/app/passages.ts';
import { searchContent } from '../../shared/app/search-content.ts';
import { parseQuery, queries } from '../../shared/app/schemas.ts';
import { startInstance } from '../../shared/app/start-instance.ts';
import { tell } from '../../shared/app/tell.ts';
import { load } from '../../shared/engine/index.ts';
import { appOn, type TestApp } from '../support/app.ts';
import { agent, human, play } from '../support/play.ts';
import { freshTables, STORE_KINDS } from '../support/stores.ts';

const LONG = Array.from({ length: 40 }, (_, i) => `Paragraph ${i} about marmalade and toast.`).join('\n\n');
const BREAKFAST = {
  id: 'breakfast',
  title: 'Breakfast',
  artifacts: ['menu'],
  steps: [
    {
      id: 'tea',
      title: 'Make tea',
      agents: ['cook'],
      content:
        '# Tea\n\nBoil water. Warm the pot.\n\n## Milk\n\nAsk whether milk is wanted, oat milk included.',
      instructions: 'Never microwave the water.',
      outputs: ['pot'],
    },
    {
      id: 'toast',
      title: 'Тосты',
      agents: ['cook'],
      content: LONG,
      instructions: 'Поджарь хлеб до золотистой корочки. 把面包烤成金黄色。トーストを焼く。',
    },
    { id: 'eggs', title: 'Eggs', agents: ['cook'], content: 'Poach the eggs in vinegar water with milk.' },
  ],
};
const COOK = agent('cook-1');

describe.each(STORE_KINDS.slice(0, 1))('a search, on %s', (kind) => {
  let app: TestApp;
  let id: string;
  beforeAll(async () => {
    app = appOn(await freshTables(kind), { breakfast: BREAKFAST });
    id = (await startInstance(app, { body: { workflow_id: 'breakfast' }, caller: COOK })).instance_id;
  });
  afterAll(() => app.client.destroy());

  const search = (q: string, more: { limit?: string; max_tokens?: string } = {}, by: App = app) =>
    searchContent(by, id, COOK, parseQuery(queries.content, { q, ...more }));
  const steps = async (q: string) => (await search(q)).results.map(({ step_id }) => step_id);

  it('finds passages of the current step, the best first, under their headings', async () => {
    const found = await search('oat milk');
    expect(found).toMatchObject({
      instance_id: id,
      workflow_id: 'breakfast',
      query: 'oat milk',
      truncated: false,
    });
    expect(found.results[0]).toMatchObject({
      step: 1,
      step_id: 'tea',
      title: 'Make tea',
      part: 'content',
      heading: 'Milk',
      text: 'Ask whether milk is wanted, oat milk included.',
    });
    expect(found.sources).toEqual(['tea#content']);
    expect(await steps('microwave')).toEqual(['tea']);
  });

  it('forgives a slip of the pen and the end of a word', async () => {
    expect(await steps('micowave')).toEqual(['tea']);
    expect(await steps('boil')).toEqual(['tea']);
  });

  it('finds nothing of later steps', async () => {
    for (const q of ['marmalade', 'vinegar', 'корочки', 'poach', 'eggs']) expect(await steps(q)).toEqual([]);
  });

  it('finds a step once it is reached, in any language, and what completed ones left behind', async () => {
    const artifacts = { pot: 'a brown teapot of stoneware', menu: { dessert: 'pavlova' } };
    const body = { action: 'complete_step', artifacts };
    await tell(app, { instance_id: id, type: 'signal', body, caller: COOK });
    for (const q of ['золотистой', '面包', '金黄色', 'トースト']) expect(await steps(q)).toEqual(['toast']);
    expect((await search('stoneware')).results[0]).toMatchObject({ step_id: 'tea', part: 'artifacts.pot' });
    expect((await search('pavlova')).results[0]).toMatchObject({ part: 'artifacts.menu' });
    expect(await steps('vinegar')).toEqual([]);
  });

  it('keeps to a limit and to a budget of tokens, and says that there is more', async () => {
    const all = await search('marmalade', { limit: '50', max_tokens: '20000' });
    expect(all.truncated).toBe(false);
    expect(all.results.length).toBeGreaterThan(1);
    const one = await search('marmalade', { limit: '1' });
    expect([one.results.length, one.truncated]).toEqual([1, true]);
    const small = await search('marmalade', { max_tokens: '50' });
    expect([small.results.length, small.truncated]).toEqual([1, true]);
    expect(small.total_tokens).toBeLessThanOrEqual(50);
    const scores = all.results.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it('is for those who may see the instance', async () => {
    await expect(
      searchContent(app, id, human('stranger'), { q: 'tea', limit: 5, max_tokens: 500 }),
    ).rejects.toThrow(`There is no instance "${id}".`);
  });

  it.each<[string, Record<string, string>]>([
    ['nothing to look for', {}],
    ['blanks', { q: '   ' }],
    ['a book', { q: 'x'.repeat(1_001) }],
    ['no limit', { q: 'x', limit: '0' }],
    ['no budget', { q: 'x', max_tokens: '1' }],
    ['something else', { q: 'x', step: 'eggs' }],
  ])('is refused with %s', (_title, query) => {
    expect(() => parseQuery(queries.content, query)).toThrow(/not valid/);
  });

  it.each(['a*b(c[', '"', '\\', '%00', '💥', 'AND OR NOT', 'constructor', '__proto__'])(
    'for "%s" finds what there is and breaks nothing',
    async (q) => {
      expect((await search(q)).results.length).toBeLessThan(6);
    },
  );
});

describe('V5', () => {
  it('whoever asks, no passage is made of a locked step', () => {
    const workflow = load(BREAKFAST);
    const game = play(workflow, { by: COOK });
    const made = () => new Set(passagesOf(workflow, game.state).map(({ step_id }) => step_id));
    expect(made()).toEqual(new Set(['tea']));
    game.done({ artifacts: { pot: 'p' } });
    expect(made()).toEqual(new Set(['tea', 'toast']));
  });
});
