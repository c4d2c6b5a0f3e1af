// The server that walks share: each uses people and instances of its own, so that none sees another's.
import { inject } from 'vitest';
import * as z from 'zod';
import { issueToken } from '../../local/issuer.ts';
import type { TestServer } from './server.ts';
import { endpointOf, type StoreKind } from './stores.ts';

export type SharedServer = Pick<TestServer, 'url' | 'ws_url' | 'data_dir' | 'token'>;

const Started = z.object({ url: z.string(), ws_url: z.string(), data_dir: z.string() });

export async function sharedServer(kind: StoreKind): Promise<SharedServer> {
  const asked = `${inject('servers')}/?store=${encodeURIComponent(endpointOf(kind))}`;
  const answer = await fetch(asked);
  if (!answer.ok) throw new Error(await answer.text());
  const { url, ws_url, data_dir } = Started.parse(await answer.json());
  return {
    url,
    ws_url,
    data_dir,
    token: (sub, roles = [], kind_ = 'human', ttl_seconds = 3_600) =>
      issueToken(data_dir, { sub, roles, kind: kind_, ttl_seconds }),
  };
}
