// stepgate graph: the workflow as a Mermaid diagram.
import { mermaid } from '../../shared/engine/views/mermaid.ts';
import { type Command, EXIT } from '../command.ts';
import { proven } from '../proven.ts';

export const graph: Command = {
  usage: 'graph FILE',
  summary: 'Draw a definition as a Mermaid state diagram.',
  details: 'Paste the output into a ```mermaid block.',
  files: 'one',
  flags: {},
  run: (call) => {
    call.streams.out(mermaid(proven(call), true).trimEnd());
    return EXIT.ok;
  },
};
