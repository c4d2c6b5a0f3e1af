// `stepgate start`: the laptop cloud until it is told to stop, with what a person needs to use it.
import { type Environment, readSettings } from './settings.ts';
import { SetupError } from './setup-error.ts';
import { type LocalServer, startServer } from './server.ts';

/** Settles when it has stopped as asked; throws a SetupError if it cannot start or cannot go on. */
export async function runServer(env: Environment, say: (line: string) => void): Promise<void> {
  const settings = readSettings(env);
  const asked = stopAsked();
  const server = await startServer(settings, say);
  say(greeting(server, settings.data_dir, env['STEPGATE_DATA'], Math.round(performance.now())));
  const reason = await Promise.race([asked, server.broken.then((why) => new SetupError(`${why} ${AFTER}`))]);
  say(reason instanceof SetupError ? 'Stopping.' : `Stopping (${reason}).`);
  await server.stop();
  if (reason instanceof SetupError) throw reason;
}

const AFTER = 'Nothing that was acknowledged is lost: start again.';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first signal asks; a second one does not wait. */
function stopAsked(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of SIGNALS)
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(signal);
      });
  });
}

/** `took` counts from the start of the process, loading included. */
function greeting(
  { origin, store_kind, workflows }: LocalServer,
  data_dir: string,
  chosen: string | undefined,
  took: number,
): string {
  const prefix = chosen ? `STEPGATE_DATA=${chosen} ` : '';
  return [
    `Stepgate is ready in ${took} ms: ${workflows} workflows, store ${store_kind}, data in ${data_dir}`,
    '',
    `  HTTP       ${origin}`,
    `  WebSocket  ${origin.replace('http', 'ws')}/ws`,
    `  MCP        ${origin}/mcp`,
    `  API        ${origin}/openapi.json`,
    '',
    '  Get a token:',
    `    ${prefix}npx stepgate token --sub ann --roles developer`,
    '  Ask something:',
    `    curl -H "Authorization: Bearer $(${prefix}npx stepgate token --sub ann)" ${origin}/api/definitions`,
    '',
    'Ctrl-C stops it.',
  ].join('\n');
}
