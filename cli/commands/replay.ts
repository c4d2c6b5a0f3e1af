// stepgate replay: the proof that an instance's log is what its signals made of it.
import type { Client } from '../../client/create-client.ts';
import type { Proof } from '../../client/shapes.ts';
import { type Command, EXIT } from '../command.ts';
import { ask, SERVER_FLAGS } from '../server.ts';

type Whole = Pick<Proof, 'instance_id' | 'ok' | 'commits' | 'hash' | 'first_problem'>;

export const replay: Command = {
  usage: 'replay ID [--json]',
  summary: 'Recompute every state of an instance from its log, and check each snapshot and hash.',
  details:
    'The server reads its log as it is stored, decides every signal again and follows the chain of hashes; the first\n' +
    'commit that does not follow is named. For the owner and for admins. Exits with 0 if all of it holds, with 1 if not.',
  files: 'one',
  noun: 'instance id',
  flags: {
    json: { type: 'boolean', description: 'Print {instance_id, ok, commits, hash, first_problem}.' },
    ...SERVER_FLAGS,
  },
  run: async (call) => {
    const proof = await ask(call, (client) => proveAll(client, call.files[0] ?? ''));
    call.streams.out(call.flags['json'] ? JSON.stringify(proof, null, 2) : describe(proof));
    return proof.ok ? EXIT.ok : EXIT.failed;
  },
};

/** Page by page, so that no log is too long for one request. */
async function proveAll(client: Client, id: string): Promise<Whole> {
  let commits = 0;
  for (let after = 0; ; ) {
    const page = await client.replay(id, { after });
    commits += page.commits;
    if (page.next === null) {
      const { instance_id, ok, hash, first_problem } = page;
      const held = first_problem ? first_problem.seq - 1 : commits; // it may be in the page before
      return { instance_id, ok, commits: held, hash, first_problem };
    }
    after = Number(page.next);
  }
}

function describe({ instance_id, commits, hash, first_problem }: Whole): string {
  const count = commits === 1 ? '1 commit' : `${commits} commits`;
  if (first_problem === null)
    return [
      `✓ ${instance_id}: ${count}, every state follows from its signal and every link holds.`,
      `  hash of the last one: ${hash}`,
    ].join('\n');
  const before = commits === 0 ? '' : `  ${count} before it ${commits === 1 ? 'holds' : 'hold'}.`;
  const { seq, what, detail } = first_problem;
  return [`✗ ${instance_id}: commit ${seq} (${what}): ${detail}`, ...(before ? [before] : [])].join('\n');
}
