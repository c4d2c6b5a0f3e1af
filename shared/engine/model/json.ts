// Untrusted JSON, made safe before anything reads it. Iterative, so that depth cannot exhaust the stack.
//   J1  What passes is finite, plain data: no key that could reach a prototype, no NaN, no broken text.
//   J2  What passes is bounded in depth and size.
import * as z from 'zod';
import { Fault } from '../../faults.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

const MAX_DEPTH = 64;
/** Characters of keys and strings: anything larger could only end as a state over its limit. */
const MAX_CHARACTERS = 300_000;
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Throws a Fault that names the path of what is wrong; returns the value as plain JSON otherwise. */
export function plainJson(value: unknown, root = 'body', maxCharacters = MAX_CHARACTERS): Json {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path: root, depth: 0 }];
  let characters = 0;
  const refuse = (path: string, message: string): never => {
    throw new Fault('invalid_request', `${path}: ${message}`, { issues: [{ path, message }] });
  };
  const count = (text: string, path: string) => {
    if (!text.isWellFormed()) refuse(path, 'holds broken text (a lone surrogate)');
    characters += text.length;
    if (characters > maxCharacters) {
      throw new Fault(
        'state_too_large',
        `${root} is over ${maxCharacters} characters; keep large content outside and send a reference`,
      );
    }
  };
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { value: current, path, depth } = item;
    if (current === null || typeof current === 'boolean') continue;
    if (typeof current === 'string') count(current, path);
    else if (typeof current === 'number') {
      if (!Number.isFinite(current)) refuse(path, 'is not a finite number');
      characters += 8;
    } else if (typeof current === 'object') {
      if (depth >= MAX_DEPTH) refuse(path.slice(0, 120), `is nested deeper than ${MAX_DEPTH} levels`);
      const prototype: unknown = Object.getPrototypeOf(current);
      if (prototype !== Object.prototype && prototype !== null && !Array.isArray(current))
        refuse(path, 'is not plain data');
      for (const key of Object.keys(current)) {
        if (FORBIDDEN_KEYS.has(key)) refuse(path, `has a key that is not allowed: ${key}`);
        count(key, path);
        open.push({
          value: (current as Record<string, unknown>)[key],
          path: `${path}.${key}`,
          depth: depth + 1,
        }); // an object, checked above
      }
    } else if (current !== undefined) refuse(path, `is a ${typeof current}, which JSON cannot carry`);
  }
  return value as Json; // every node was visited above
}

/** Inside schemas: the whole body has been through plainJson, so a shallow look is enough. */
export const JsonValue = z.custom<Json>((value) => value !== undefined);
export const JsonRecord = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
);
