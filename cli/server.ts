// The server that a command talks to: where it is, the token it is asked with, and what went wrong, as a sentence.
import type { Client } from '../client/create-client.ts';
import { StepgateError } from '../client/error.ts';
import { dataDirOf } from '../local/settings.ts';
import { type Call, type Flag, ServerError, UsageError } from './command.ts';

const DEFAULT_URL = 'http://localhost:4400';
const DEFAULT_SUB = 'stepgate-cli';
const TOKEN_SECONDS = 300;
const TRIES = 2;

export const SERVER_FLAGS = {
  url: { type: 'string', value: 'URL', description: `The server (STEPGATE_URL; ${DEFAULT_URL}).` },
  token: {
    type: 'string',
    value: 'JWT',
    description: 'A token (STEPGATE_TOKEN; on this machine, one is made).',
  },
  as: { type: 'string', value: 'SUB', description: `On this machine: who you are (${DEFAULT_SUB}).` },
  roles: {
    type: 'string',
    value: 'a,b',
    description: 'On this machine: the roles you hold (admin, unless you say who you are).',
  },
  kind: { type: 'string', value: 'K', description: 'On this machine: human (default) or agent.' },
} as const satisfies Readonly<Record<string, Flag>>;

/** For commands that wait for events. */
export const LIVE_FLAGS = {
  ...SERVER_FLAGS,
  'socket-url': {
    type: 'string',
    value: 'URL',
    description:
      'Its WebSocket (STEPGATE_SOCKET_URL; /ws at the server, a deployed one has an address of its own).',
  },
} as const satisfies Readonly<Record<string, Flag>>;

/** Asks the server something. Throws only a UsageError or a ServerError. */
export async function ask<T>({ flags }: Call, question: (client: Client) => Promise<T>): Promise<T> {
  const url = urlOf(String(flags['url'] ?? (process.env['STEPGATE_URL'] || DEFAULT_URL)));
  const socket_url = socketUrlOf(flags);
  const { createClient } = await import('../client/node.ts');
  const token = await tokenFor(url, flags);
  const client = createClient({ url: url.href, token, tries: TRIES, ...(socket_url ? { socket_url } : {}) });
  try {
    return await question(client);
  } catch (error) {
    if (!(error instanceof StepgateError)) throw error;
    throw new ServerError(sentence(error, url), flags['json'] === true ? problemIn(error) : null);
  } finally {
    client.close();
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new UsageError(`--url is an address such as ${DEFAULT_URL}, not "${text}".`);
}

/** Of the environment only where the server is, too: another server has another socket. */
function socketUrlOf(flags: Call['flags']): string | undefined {
  const fromEnvironment = flags['url'] === undefined ? process.env['STEPGATE_SOCKET_URL'] : undefined;
  const text = flags['socket-url'] ?? (fromEnvironment || undefined);
  if (text === undefined) return undefined;
  const url = URL.canParse(String(text)) ? new URL(String(text)) : null;
  if (url?.protocol === 'ws:' || url?.protocol === 'wss:') return url.href.replace(/\/+$/, '');
  throw new UsageError(`--socket-url is an address such as ws://localhost:4400/ws, not "${String(text)}".`);
}

/** Says once that there are no live events, and once that they are back. */
export function lineTeller(err: (line: string) => void): (state: { readonly state: string }) => void {
  let told = false;
  return ({ state }) => {
    if (state === 'waiting' && !told) {
      told = true;
      err('No live events: the WebSocket cannot be reached. Trying again; --socket-url says where it is.');
    }
    if (state === 'live' && told) {
      told = false;
      err('Live again.');
    }
  };
}

async function tokenFor(url: URL, flags: Call['flags']): Promise<string | (() => Promise<string>)> {
  const said = ['as', 'roles', 'kind'].find((flag) => flags[flag] !== undefined);
  if (flags['token'] !== undefined && said !== undefined)
    throw new UsageError(`--${said} makes a token of its own; leave out --token or --${said}.`);
  const given = flags['token'] ?? (said === undefined ? process.env['STEPGATE_TOKEN'] : undefined);
  if (given) return String(given);
  if (!['localhost', '127.0.0.1', '[::1]'].includes(url.hostname))
    throw new UsageError(
      `${url.origin} is not on this machine: give a token with --token or STEPGATE_TOKEN.`,
    );
  const who = localUser(flags);
  const { issueToken } = await import('../local/issuer.ts');
  return () => issueToken(dataDirOf(process.env), who);
}

/** An admin unless they say who they are: whoever can read the data folder may do anything here anyway. */
function localUser({ as, roles = as === undefined ? 'admin' : '', kind = 'human' }: Call['flags']) {
  if (kind !== 'human' && kind !== 'agent')
    throw new UsageError(`--kind is human or agent, not "${String(kind)}".`);
  return {
    sub: String(as ?? DEFAULT_SUB),
    kind,
    roles: listed(String(roles)),
    ttl_seconds: TOKEN_SECONDS,
  } as const;
}

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

const problemIn = ({ status, code, message, details, retryable }: StepgateError): string =>
  JSON.stringify({ ...details, status, code, detail: message, retryable }, null, 2);

function sentence({ code, message, details }: StepgateError, { origin }: URL): string {
  if (code === 'unreachable' || code === 'timeout')
    return `Nothing answers at ${origin}. Start the server with "stepgate start", or name another with --url.`;
  if (code === 'unauthenticated')
    return (
      `${origin} does not accept this token. For a server on this machine, "stepgate token --sub YOU" prints one: set ` +
      "STEPGATE_DATA to the server's data folder. For a deployed one, take it from its token issuer. Give it with --token."
    );
  if (code === 'not_found' && message.includes('no instance'))
    return `${message} Or it is not for you to see: use a token of its owner, or of an admin.`;
  return [message, ...hintsIn(details)].join('\n');
}

/** What a refusal says besides: what would be possible instead. */
function hintsIn(details: StepgateError['details']): string[] {
  const { allowed_actions, allowed_roles } = details;
  return [
    ...(isList(allowed_actions) ? [`Possible now: ${allowed_actions.join(', ')}.`] : []),
    ...(isList(allowed_roles)
      ? [`It is for: ${allowed_roles.join(', ')} (--as NAME --roles ${allowed_roles[0]}).`]
      : []),
  ];
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.length > 0;
