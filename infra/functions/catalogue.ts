// Every function there is, by the name of its bundle: `<group>-<name>` is built from functions/<group>/<name>.ts.
// The route tables name most of them; the rest are the authorizer, the consumers of the
// stream and of events, and what the state machine calls.
import { HTTP_FUNCTIONS, SOCKET_ROUTES } from '../../shared/routes.ts';

const SOCKET_FUNCTIONS = [...new Set(Object.values(SOCKET_ROUTES))];

const named = <Group extends string, Name extends string>(group: Group, names: readonly Name[]) =>
  names.map((name) => ({ bundle: `${group}-${name}` as const, source: `functions/${group}/${name}.ts` }));

export const FUNCTIONS = [
  ...named('http', HTTP_FUNCTIONS),
  ...named('mcp', ['endpoint'] as const),
  ...named('websocket', ['authorize', ...SOCKET_FUNCTIONS] as const),
  ...named('stream', ['broadcast', 'project', 'clock'] as const),
  ...named('attempts', ['clock'] as const),
  ...named('events', ['agent-work'] as const),
];

export type FunctionName = (typeof FUNCTIONS)[number]['bundle'];
