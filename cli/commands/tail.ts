// stepgate tail: the inbox of a role, live.
import type { Client } from '../../client/create-client.ts';
import type { StepgateEvent } from '../../client/messages.ts';
import { type Call, type Command, EXIT } from '../command.ts';
import { describeEvent } from '../describe-event.ts';
import { ask, LIVE_FLAGS, lineTeller } from '../server.ts';
import { rowOf } from './tasks.ts';

const PAGE = 100;

export const tail: Command = {
  usage: 'tail ROLE [--json]',
  summary: 'Show what waits for a role, then what is assigned, claimed and released, as it happens.',
  details: 'Until Ctrl-C. After a lost connection it shows again what waits, since nothing replays a role.',
  files: 'one',
  noun: 'role',
  flags: {
    json: { type: 'boolean', description: 'One task or event per line, as the API has it.' },
    ...LIVE_FLAGS,
  },
  run: (call) => ask(call, (client) => follow(call, client, call.files[0] ?? '')),
};

async function follow({ streams, flags }: Call, client: Client, role: string): Promise<number> {
  const json = flags['json'] === true;
  const line = (time: string, name: string, words: string): void =>
    streams.out(`${time.slice(11, 19)}  ${name.padEnd(14)}  ${words}`);
  const waiting = async (): Promise<void> => {
    const { tasks } = await client.tasks({ role, limit: PAGE });
    for (const task of tasks) {
      const [, instance = '', step = '', action = '', , , notes = ''] = rowOf(task);
      if (json) streams.out(JSON.stringify({ task }));
      else
        line(
          task.assigned_at,
          'waiting',
          `${instance}  ${step}: ${[action, notes].filter(Boolean).join(', ')}`,
        );
    }
    if (tasks.length === 0 && !json) streams.out(`Nothing waits for ${role} yet.`);
  };
  const shown = (event: StepgateEvent): void => {
    const { name, words } = describeEvent(event);
    if (json) streams.out(JSON.stringify(event));
    else line(event.at, name.replace(/^task\./, ''), `${event.instance_id}  ${words}`);
  };
  await client.tasks({ role, limit: 1 }); // is the server there, and will it tell?
  const tellLine = lineTeller(streams.err);
  const subscription = client.subscribe(`role:${role}`, {
    onEvent: shown,
    onState: (now) => {
      tellLine(now);
      if (now.state === 'live') waiting().catch((error: unknown) => streams.err(String(error)));
    },
  });
  await subscription.closed;
  return EXIT.ok;
}
