// Official MCP clients of a running server; what they receive can be kept, byte for byte.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { SharedServer } from '../support/shared-server.ts';
import { type Caller, callerOf } from '../functions/mcp/rig.ts';

export interface McpOptions {
  readonly sub: string;
  readonly roles?: readonly string[];
  readonly kind?: 'human' | 'agent';
  /** The instance to be bound to. */
  readonly to?: string;
  readonly era?: 'legacy' | 'auto';
  /** Is handed every body received. */
  readonly keep?: (text: string) => void;
}

export async function mcpOn(server: SharedServer, options: McpOptions): Promise<Caller> {
  const { sub, roles = [], kind = 'human', to, era = 'auto', keep } = options;
  const token = await server.token(sub, roles, kind);
  const client = new Client({ name: 'e2e', version: '1' }, { versionNegotiation: { mode: era } });
  const url = new URL(to === undefined ? '/mcp' : `/mcp/${encodeURIComponent(to)}`, server.url);
  const kept = async (target: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(target, init);
    const text = await response.clone().text();
    keep?.(`${JSON.stringify([...response.headers])}\n${text}`);
    return response;
  };
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: kept, requestInit: { headers } }));
  return callerOf(client);
}
