// The program that `npx @modelcontextprotocol/inspector --cli` starts: a client of the first SDK, in a process of its
// own for every call.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SharedServer } from '../support/shared-server.ts';
import type { McpOptions } from './mcp-clients.ts';

const require = createRequire(import.meta.url);
const PROGRAM = path.join(path.dirname(require.resolve('@modelcontextprotocol/inspector-cli')), 'index.js');

export interface Inspector {
  /** What the method printed. */
  ask(method: string, ...more: string[]): Promise<Record<string, unknown>>;
  /** What a tool gave, as structured content. */
  call(tool: string, args?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
}

export async function inspectorOn(
  server: SharedServer,
  { sub, roles = [], kind = 'human', to }: McpOptions,
): Promise<Inspector> {
  const token = await server.token(sub, roles, kind);
  const url = new URL(to === undefined ? '/mcp' : `/mcp/${encodeURIComponent(to)}`, server.url);
  const ask = async (method: string, ...more: string[]) => {
    const header = ['--header', `Authorization: Bearer ${token}`];
    const args = [PROGRAM, url.href, '--transport', 'http', ...header, '--method', method, ...more];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 10_000_000 });
    return JSON.parse(stdout) as Record<string, unknown>; // it prints the result
  };
  return {
    ask,
    call: async (tool, args = {}) => {
      const pairs = Object.entries(args).flatMap(([name, value]) => [
        '--tool-arg',
        `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ]);
      const result = await ask('tools/call', '--tool-name', tool, ...pairs);
      return result['structuredContent'] as Record<string, unknown>; // ours are objects
    },
  };
}
