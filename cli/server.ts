// The server that a command talks to: where it is, the token it is asked with, and what went wrong, as a sentence.
import type { Client } from '../client/create-client.ts';
import { StepgateError } from '../client/error.ts';
import { dataDirOf } from '../local/settings.ts';
import { type Call, type Flag, ServerError, UsageError } from './command.ts';

const DEFAULT_URL = 'http://localhost:4400';
const TOKEN_SECONDS = 300;
const TRIES = 2;

export const SERVER_FLAGS = {
  url: { type: 'string', value: 'URL', description: `The server (STEPGATE_URL; ${DEFAULT_URL}).` },
  token: {
    type: 'string',
    value: 'JWT',
    description: 'A token (STEPGATE_TOKEN; on this machine, one is made).',
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Asks the server something. Throws only a UsageError or a ServerError. */
export async function ask<T>({ flags }: Call, question: (client: Client) => Promise<T>): Promise<T> {
  const url = urlOf(String(flags['url'] ?? (process.env['STEPGATE_URL'] || DEFAULT_URL)));
  const token = flags['token'] ?? process.env['STEPGATE_TOKEN'] ?? '';
  const { createClient } = await import('../client/create-client.ts');
  const client = createClient({
    url: url.href,
    token: token ? String(token) : await localToken(url),
    tries: TRIES,
  });
  try {
    return await question(client);
  } catch (error) {
    throw error instanceof StepgateError ? new ServerError(sentence(error, url)) : error;
  } finally {
    client.close();
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`--url is an address such as ${DEFAULT_URL}, not "${text}".`);
}

/** An admin's, from the key in the data folder: whoever can read that may do anything here anyway. */
async function localToken({ hostname, origin }: URL): Promise<string> {
  if (!['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    throw new UsageError(`${origin} is not on this machine: give a token with --token or STEPGATE_TOKEN.`);
  const { issueToken } = await import('../local/issuer.ts');
  const who = { sub: 'stepgate-cli', kind: 'human', roles: ['admin'], ttl_seconds: TOKEN_SECONDS } as const;
  return issueToken(dataDirOf(process.env), who);
}

function sentence({ code, message }: StepgateError, { origin }: URL): string {
  if (code === 'unreachable' || code === 'timeout')
    return `Nothing answers at ${origin}. Start the server with "stepgate start", or name another with --url.`;
  if (code === 'unauthenticated')
    return `${origin} does not accept this token. Give one with --token, or set STEPGATE_DATA to the server's data folder.`;
  if (code === 'not_found')
    return `${message} Or it is not for you to see: use a token of its owner, or of an admin.`;
  return message;
}
