// stepgate publish: makes a definition the version that new instances start on.
import type { Publication } from '../../client/shapes.ts';
import { type Command, EXIT } from '../command.ts';
import { proven } from '../proven.ts';
import { ask, SERVER_FLAGS } from '../server.ts';

export const publish: Command = {
  usage: 'publish FILE [--json]',
  summary: 'Publish a definition: new instances start on it, running ones keep theirs.',
  details:
    'It is proven here first, then once more by the server. YAML, JSON and Markdown; a document it refers to goes with\n' +
    'it. For admins. Content that was published before is not a new version.',
  files: 'one',
  flags: { json: { type: 'boolean', description: 'Print what the API answers.' }, ...SERVER_FLAGS },
  run: async (call) => {
    const { id, source } = proven(call);
    const published = await ask(call, (client) => client.publish(id, source));
    call.streams.out(call.flags['json'] ? JSON.stringify(published, null, 2) : describe(published));
    return EXIT.ok;
  },
};

const WORDS: Readonly<Record<Publication['change'], string>> = {
  created: 'published as a new version',
  restored: 'an earlier version is the current one again',
  unchanged: 'it is the current version already',
};

const describe = ({ workflow_id, change, version, steps }: Publication): string =>
  [
    `✓ ${workflow_id}: ${WORDS[change]} (${version.slice(0, 12)}, ${steps === 1 ? '1 step' : `${steps} steps`}).`,
    `  Start one with: stepgate run ${workflow_id}`,
  ].join('\n');
