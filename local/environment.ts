// The environment the functions find: the same names as in the cloud, endpoints on this machine.
import { ENV } from '../shared/names.ts';
import type { TableNames } from '../shared/store/tables.ts';
import { AUDIENCE, ISSUER } from './issuer.ts';
import type { Store } from './store/start-store.ts';

export const TABLES: TableNames = { table: 'stepgate', connections: 'stepgate-connections' };
export const KEYS_PATH = '/.well-known/jwks.json';

export interface Places {
  readonly store: Pick<Store, 'kind' | 'endpoint'>;
  readonly origin: string;
  readonly connections_endpoint: string;
  readonly definitions_file: string;
}

type Variables = Record<string, string | undefined>;

/** What has to be set, and (as undefined) what must not be. */
export function environmentFor(places: Places, given: Readonly<Variables>): Variables {
  const { store, origin, connections_endpoint, definitions_file } = places;
  const someoneElses = store.kind === 'url';
  return {
    [ENV.table]: TABLES.table,
    [ENV.connections]: TABLES.connections,
    [ENV.bus]: undefined,
    [ENV.websocket]: connections_endpoint,
    [ENV.issuer]: ISSUER,
    [ENV.audience]: AUDIENCE,
    [ENV.jwks]: `${origin}${KEYS_PATH}`,
    [ENV.definitions]: definitions_file,
    AWS_ENDPOINT_URL_DYNAMODB: store.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB_STREAMS: store.endpoint,
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'false',
    AWS_REGION: (someoneElses && given['AWS_REGION']) || 'local',
    // A profile would be asked for credentials before the ones below.
    ...(someoneElses && given['AWS_ACCESS_KEY_ID']
      ? {}
      : {
          AWS_PROFILE: undefined,
          AWS_ACCESS_KEY_ID: 'local',
          AWS_SECRET_ACCESS_KEY: 'local',
          AWS_SESSION_TOKEN: undefined,
        }),
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: given['POWERTOOLS_LOG_LEVEL'] || 'WARN',
  };
}

export function applyEnvironment(variables: Readonly<Variables>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}
