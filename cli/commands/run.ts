// stepgate run: starts an instance, and stays to watch it if asked to.
import type { Client } from '../../client/create-client.ts';
import type { JsonObject } from '../../client/shapes.ts';
import { type Call, type Command, EXIT, UsageError } from '../command.ts';
import { describeAnswer } from '../describe-answer.ts';
import { ask, LIVE_FLAGS } from '../server.ts';
import { given, pairsOf } from '../values.ts';
import { watchInstance } from '../watch-instance.ts';

export const run: Command = {
  usage: 'run WORKFLOW [--param K=V …] [--watch] [--json]',
  summary: 'Start an instance of a workflow.',
  details:
    'Prints its id. Parameters are read as the definition has them: --param rounds=3 is a number where a number is\n' +
    'asked for. With --watch it stays until the instance has ended, and exits with 1 if that was no success.',
  files: 'one',
  noun: 'workflow',
  flags: {
    param: {
      type: 'list',
      value: 'K=V',
      description: 'A parameter; K:=JSON for anything but text. Repeatable.',
    },
    id: { type: 'string', value: 'ID', description: 'The id of the instance; made up if left out.' },
    subject: { type: 'string', value: 'TEXT', description: 'What it is about.' },
    session: { type: 'string', value: 'NAME', description: 'Start it in a session, invisible outside.' },
    for: { type: 'string', value: 'USER', description: 'Whose instance it is, if not yours.' },
    watch: { type: 'boolean', description: 'Show its events until it ends.' },
    json: { type: 'boolean', description: 'Print what the API answers; with --watch, one event per line.' },
    ...LIVE_FLAGS,
  },
  run: (call) => ask(call, (client) => start(call, client)),
};

async function start(call: Call, client: Client): Promise<number> {
  const { flags, streams, files } = call;
  const workflow_id = files[0] ?? '';
  const params = await paramsOf(call, client, workflow_id);
  const text = (flag: string): string | undefined =>
    flags[flag] === undefined ? undefined : String(flags[flag]);
  const answer = await client.start(
    given({
      workflow_id,
      params,
      instance_id: text('id'),
      subject: text('subject'),
      session_name: text('session'),
      user_id: text('for'),
    }),
  );
  if (!(flags['json'] && flags['watch']))
    streams.out(
      flags['json'] ? JSON.stringify(answer, null, 2) : `${answer.instance_id}\n${describeAnswer(answer)}`,
    );
  return flags['watch'] ? watchInstance(call, client, answer.instance_id, 0) : EXIT.ok;
}

/** Each as its domain asks for it; what cannot be is left as it is, for the server to refuse with a reason. */
async function paramsOf(
  { lists }: Call,
  client: Client,
  workflow_id: string,
): Promise<JsonObject | undefined> {
  const said = pairsOf('param', lists['param']);
  if (Object.keys(said).length === 0) return undefined;
  const { params: domains } = await client.definition(workflow_id);
  const unknown = Object.keys(said).find((name) => !Object.hasOwn(domains, name));
  if (unknown !== undefined)
    throw new UsageError(
      `"${workflow_id}" has no parameter "${unknown}"; it has ${Object.keys(domains).join(', ') || 'none'}.`,
    );
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, fit(value, domains[name])]),
  ) as JsonObject; // texts, and what JSON.parse made
}

interface Domain {
  readonly kind: string;
  readonly choices?: readonly unknown[];
}

function fit(value: unknown, domain: Domain | undefined): unknown {
  if (typeof value !== 'string' || domain === undefined) return value;
  if (domain.choices) return domain.choices.find((choice) => String(choice) === value) ?? value;
  if (domain.kind === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  if (/^(?:integer|number)$/.test(domain.kind) && value.trim() !== '' && Number.isFinite(Number(value)))
    return Number(value);
  return value;
}
