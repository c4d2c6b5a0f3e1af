// defineWorkflow: the types refuse what the proof would refuse, before anything runs.
import { describe, expect, it } from 'vitest';
import { compile, defineWorkflow, load } from '../../shared/engine/index.ts';

describe('defineWorkflow', () => {
  it('returns the plain definition, which loads', () => {
    const definition = defineWorkflow({
      id: 'typed',
      entry: 'draft',
      steps: [
        { id: 'draft', attempts: 2, next: 'review' },
        { id: 'review', triggers_retry: 'draft', prerequisites: ['draft', 1], next: { ok: 'publish' } },
        { id: 'publish', transitions: [{ on: 'PUBLISH', to: 'end' }] },
      ],
    });
    expect(load(definition).steps.map(({ id }) => id)).toEqual(['draft', 'review', 'publish']);
  });

  it('a misspelt step does not compile, and does not load either', () => {
    const misspelt = [
      // @ts-expect-error "reviw" is not a step
      defineWorkflow({ id: 'w', steps: [{ id: 'draft', next: 'reviw' }, { id: 'review' }] }),
      // @ts-expect-error "reviw" is not a step
      defineWorkflow({ id: 'w', steps: [{ id: 'draft', next: { ok: 'reviw' } }, { id: 'review' }] }),
      defineWorkflow({
        id: 'w',
        // @ts-expect-error "reviw" is not a step
        steps: [{ id: 'draft', transitions: [{ on: 'ok', to: 'reviw' }] }, { id: 'review' }],
      }),
      // @ts-expect-error "drft" is not a step
      defineWorkflow({ id: 'w', entry: 'drft', steps: [{ id: 'draft' }, { id: 'review' }] }),
      defineWorkflow({
        id: 'w',
        steps: [
          { id: 'draft', attempts: 2 },
          // @ts-expect-error "drft" is not a step
          { id: 'review', triggers_retry: 'drft' },
        ],
      }),
      // @ts-expect-error "drft" is not a step
      defineWorkflow({ id: 'w', steps: [{ id: 'draft' }, { id: 'review', prerequisites: ['drft'] }] }),
    ];
    for (const definition of misspelt) expect(compile(definition)).toHaveProperty('problems');
  });
});
