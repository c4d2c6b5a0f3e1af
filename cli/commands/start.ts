// stepgate start: the laptop cloud in this process, until Ctrl-C.
import { type Command, EXIT } from '../command.ts';

export const start: Command = {
  usage: 'start',
  summary: 'Run everything on this machine: HTTP, WebSocket, store and stream.',
  details:
    'PORT (4400; 0 for any), STEPGATE_DATA (.stepgate) and STEPGATE_DB (dynoxide, dynamodb-local or a URL) are read\n' +
    'from the environment. Ctrl-C stops it; nothing that was acknowledged is lost, however it ends.',
  files: 'none',
  flags: {},
  run: async ({ streams }) => {
    const { runServer } = await import('../../local/start.ts');
    await runServer(process.env, streams.out);
    return EXIT.ok;
  },
};
