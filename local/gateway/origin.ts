// Pages on this machine may speak MCP; a page from elsewhere that has made its name point here (DNS rebinding) may not.
import type { IncomingMessage } from 'node:http';
import { Fault } from '../../shared/faults.ts';

const HERE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Agents send no Origin, browsers always do. */
export function refuseForeignPages({ headers: { origin } }: IncomingMessage): void {
  if (origin === undefined || (URL.canParse(origin) && HERE.has(new URL(origin).hostname))) return;
  throw new Fault('role_not_allowed', 'Only pages of this machine may speak MCP with its server.');
}
