// A store of one's own for a measurement, and clients of it that count what goes over the wire.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { ensureTables } from '../local/store/ensure-tables.ts';
import { startStore } from '../local/store/start-store.ts';

export const TABLES = { table: 'stepgate', connections: 'stepgate-connections' };

export interface BenchStore {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export async function benchStore(): Promise<BenchStore> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'stepgate-bench-'));
  const store = await startStore({ dataDir });
  const client = clientOf(store.endpoint);
  await ensureTables(client, TABLES);
  client.destroy();
  return {
    endpoint: store.endpoint,
    async stop() {
      await store.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The same settings for everyone who is measured. */
export const clientOf = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({
    endpoint,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: { httpAgent: { maxSockets: 128 } },
  });

export interface Traffic {
  requests: Record<string, number>;
  bytes: number;
}

/** Counts commands by name, and the bytes of their bodies both ways. */
export function counting(client: DynamoDBClient): Traffic {
  const traffic: Traffic = { requests: {}, bytes: 0 };
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const name = (context.commandName ?? '').replace('Command', '');
      traffic.requests[name] = (traffic.requests[name] ?? 0) + 1;
      const { body } = args.request as { body?: string | Uint8Array }; // the SDK's own HTTP request
      traffic.bytes += body?.length ?? 0;
      const result = await next(args);
      const { headers } = result.response as { headers: Record<string, string> }; // and its HTTP response
      traffic.bytes += Number(headers['content-length'] ?? 0);
      return result;
    },
    { step: 'finalizeRequest', priority: 'low', name: 'counting' },
  );
  return traffic;
}
