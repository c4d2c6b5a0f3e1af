// What the laptop cloud can be told, from its environment: PORT, HOST, STEPGATE_DATA, STEPGATE_DB.
import path from 'node:path';
import { SetupError } from './setup-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  /** 0: any free one. */
  readonly port: number;
  readonly host: string;
  readonly data_dir: string;
  /** `dynoxide`, `dynamodb-local`, a URL, or nothing for the best that is there. */
  readonly store: string | undefined;
}

const DEFAULT_PORT = 4400;
/** Tokens are given to whoever can read the data folder: nobody else's business. */
const DEFAULT_HOST = '127.0.0.1';

export const dataDirOf = (env: Environment): string => path.resolve(env['STEPGATE_DATA'] || '.stepgate');

export function readSettings(env: Environment): Settings {
  return {
    port: portOf(env['PORT']),
    host: env['HOST'] || DEFAULT_HOST,
    data_dir: dataDirOf(env),
    store: env['STEPGATE_DB'] || undefined,
  };
}

function portOf(text: string | undefined): number {
  if (text === undefined || text === '') return DEFAULT_PORT;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SetupError(`PORT is "${text}". Set it to a number from 0 (any free port) to 65535.`);
}
