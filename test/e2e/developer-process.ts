// A developer as a process of its own, to be killed: commits what it is given, but never comes back from the third.
import { createClient, createWorker } from '../../client/node.ts';

const { STEPGATE_URL: url = '', STEPGATE_TOKEN: token = '' } = process.env;
let given = 0;

const worker = createWorker({
  client: createClient({ url, token }),
  role: 'developer',
  lease_seconds: 1,
  poll_ms: 200,
  handle: async ({ instance_id }) => {
    given++;
    if (given === 3) {
      process.stdout.write(`stuck on ${instance_id}\n`);
      await new Promise(() => {});
    }
    const artifacts = { commit_sha: `first-${given}`, files_changed: ['a.ts'] };
    return { workflow_signal: { action: 'COMMIT_CODE', artifacts } };
  },
});
await worker.closed;
