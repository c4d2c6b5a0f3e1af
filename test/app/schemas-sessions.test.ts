// What may be said about a session, with every issue named.
import { describe, expect, it } from 'vitest';
import { parseBody } from '../../shared/app/schemas.ts';
import { SessionRequest } from '../../shared/app/schemas-sessions.ts';

const read = (body: unknown) => parseBody(SessionRequest, body, 'session');

describe('opening a session', () => {
  it.each([
    ['session_name', { session_name: 'work-on-chapter-02' }],
    ['name', { name: 'work-on-chapter-02' }],
    ['both, if they are the same', { name: 'work-on-chapter-02', session_name: 'work-on-chapter-02' }],
  ])('takes its name as %s', (_, body) => {
    expect(read({ ...body, title: ' Chapter two ' })).toEqual({
      session_name: 'work-on-chapter-02',
      title: 'Chapter two',
    });
  });

  it.each([
    ['no name', {}, 'session_name'],
    ['two names', { name: 'a', session_name: 'b' }, 'session_name'],
    ['an empty name', { session_name: '' }, 'session_name'],
    ['a name with a slash', { session_name: 'a/b' }, 'session_name'],
    ['a name with a hash', { name: 'a#b' }, 'name'],
    ['a name that begins with a dot', { name: '.a' }, 'name'],
    ['a name of 201 characters', { session_name: 'a'.repeat(201) }, 'session_name'],
    ['an empty title', { session_name: 'a', title: ' ' }, 'title'],
    ['a word it does not know', { session_name: 'a', owner: 'max' }, 'owner'],
  ])('refuses %s', (_, body, path) => {
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => read(body)).toThrow(path);
  });
});
