// Which store to run: the one asked for, else dynoxide, else DynamoDB Local, else a sentence with a way out.
import { SetupError } from '../setup-error.ts';
import { findDynamoDbLocal, dynamoDbLocalArguments } from './dynamodb-local.ts';
import { dynoxideArguments, findDynoxide } from './dynoxide.ts';

export type ChildKind = 'dynoxide' | 'dynamodb-local';
export const CHILD_KINDS: readonly ChildKind[] = ['dynoxide', 'dynamodb-local'];

export type Choice =
  | { readonly kind: 'url'; readonly endpoint: string }
  | {
      readonly kind: ChildKind;
      readonly command: string;
      readonly arguments: (port: number, dataDir: string) => string[];
    };

type Look = (kind: ChildKind) => Choice | { readonly missing: string };

export function chooseStore(asked: string | undefined, look: Look = lookFor): Choice {
  if (asked === undefined || asked === '') return firstThere(look);
  if (asked === 'dynoxide' || asked === 'dynamodb-local') {
    const found = look(asked);
    if ('missing' in found) throw new SetupError(`${sentence(found.missing)} ${WAY_OUT}`);
    return found;
  }
  if (/^https?:\/\//.test(asked) && URL.canParse(asked)) return { kind: 'url', endpoint: asked };
  throw new SetupError(
    `STEPGATE_DB is "${asked}". Set it to dynoxide, dynamodb-local or the URL of a DynamoDB endpoint.`,
  );
}

/** Whether this machine can run it; if not, why. */
export function missing(kind: ChildKind): string | undefined {
  const found = lookFor(kind);
  return 'missing' in found ? found.missing : undefined;
}

const WAY_OUT =
  'Run "npm ci" to install the optional packages, install Java 17 for DynamoDB Local, ' +
  'or set STEPGATE_DB to the URL of a DynamoDB endpoint.';

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function firstThere(look: Look): Choice {
  const missing: string[] = [];
  for (const kind of CHILD_KINDS) {
    const found = look(kind);
    if (!('missing' in found)) return found;
    missing.push(sentence(found.missing));
  }
  throw new SetupError(['There is no store to keep data in.', ...missing, WAY_OUT].join(' '));
}

function lookFor(kind: ChildKind): ReturnType<Look> {
  if (kind === 'dynoxide') {
    const found = findDynoxide();
    return 'missing' in found ? found : { kind, command: found.binary, arguments: dynoxideArguments };
  }
  const found = findDynamoDbLocal();
  if ('missing' in found) return found;
  return {
    kind,
    command: found.java,
    arguments: (port, dataDir) => dynamoDbLocalArguments(found, port, dataDir),
  };
}
