// Values on the command line: K=TEXT, K:=JSON, and whole JSON objects.
import { UsageError } from './command.ts';

/** `name=text`, or `name:=json`. */
export function pairsOf(flag: string, given: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(given.map((pair) => readPair(flag, pair)));
}

function readPair(flag: string, pair: string): [string, unknown] {
  const [, name = '', sign, value = ''] = /^([^=:]+)(:?=)(.*)$/s.exec(pair) ?? [];
  if (sign === undefined)
    throw new UsageError(
      `--${flag} is NAME=TEXT or NAME:=JSON, as in --${flag} size=3; "${pair}" is neither.`,
    );
  return [name, sign === '=' ? value : jsonOf(`--${flag} ${name}:=`, value)];
}

/** A flag whose value is a JSON object. */
export function objectOf(
  flag: string,
  given: string | boolean | undefined,
): Record<string, unknown> | undefined {
  if (given === undefined) return undefined;
  const value = jsonOf(`--${flag}`, String(given));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new UsageError(`--${flag} is a JSON object, as in --${flag} '{"size": 3}', not ${String(given)}.`);
}

export function jsonOf(what: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${what} is not JSON: ${text}`);
  }
}

export function wholeOf(flag: string, given: string | boolean | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,15}$/.test(String(given))) return Number(given);
  throw new UsageError(`--${flag} is a whole number, not "${String(given)}".`);
}

/** Only what was given: an object without the undefined ones. */
export const given = <T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  }; // callers pass it on to what takes each as optional
