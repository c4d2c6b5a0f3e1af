// stepgate watch: the events of an instance as they happen, with a progress bar.
import { type Command } from '../command.ts';
import { ask, LIVE_FLAGS } from '../server.ts';
import { wholeOf } from '../values.ts';
import { watchInstance } from '../watch-instance.ts';

export const watch: Command = {
  usage: 'watch ID [--after N] [--json]',
  summary: 'Show the events of an instance as they happen, until it ends.',
  details:
    'From now on, or from a commit: --after 0 shows all there ever was. A lost connection is resumed without a gap.\n' +
    'Exits with 0 if the instance completes, with 1 if it fails or is cancelled.',
  files: 'one',
  noun: 'instance id',
  flags: {
    after: { type: 'string', description: 'Begin after this commit; 0 for all.' },
    json: { type: 'boolean', description: 'One event per line, as the API has it.' },
    ...LIVE_FLAGS,
  },
  run: (call) => {
    const after = wholeOf('after', call.flags['after']);
    return ask(call, (client) => watchInstance(call, client, call.files[0] ?? '', after));
  },
};
