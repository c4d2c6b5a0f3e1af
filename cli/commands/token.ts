// stepgate token: a token of the laptop's own issuer, for curl and for scripts. Needs no running server.
import { dataDirOf } from '../../local/settings.ts';
import { type Call, type Command, EXIT, UsageError } from '../command.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

export const token: Command = {
  usage: 'token --sub U [--roles a,b] [--kind human|agent] [--expires-in 8h]',
  summary: 'Print a token for the local server, alone on its line.',
  details: 'The key is in the folder STEPGATE_DATA names (.stepgate by default); it is made on first use.',
  files: 'none',
  flags: {
    sub: { type: 'string', value: 'U', description: 'Whose token: the id of a person or an agent.' },
    roles: { type: 'string', value: 'a,b', description: 'The roles held, separated by commas.' },
    kind: { type: 'string', value: 'K', description: 'human (default) or agent.' },
    'expires-in': { type: 'string', value: 'T', description: '90s, 30m, 8h (default) or 7d.' },
  },
  run: (call) => printToken(readRequest(call), call),
};

type Request = ReturnType<typeof readRequest>;

async function printToken(request: Request, { streams }: Call): Promise<number> {
  const { issueToken } = await import('../../local/issuer.ts');
  streams.out(await issueToken(dataDirOf(process.env), request));
  return EXIT.ok;
}

function readRequest({ flags }: Call) {
  const { sub, roles = '', kind = 'human', 'expires-in': expires = '8h' } = flags;
  if (sub === undefined) throw new UsageError('"stepgate token" needs --sub, as in --sub ann.');
  if (kind !== 'human' && kind !== 'agent')
    throw new UsageError(`--kind is human or agent, not "${String(kind)}".`);
  return {
    sub: String(sub),
    kind,
    roles: String(roles)
      .split(',')
      .map((role) => role.trim())
      .filter(Boolean),
    ttl_seconds: secondsOf(String(expires)),
  } as const;
}

function secondsOf(text: string): number {
  const [, count, unit = 's'] = /^([1-9]\d{0,8})([smhd])?$/.exec(text) ?? [];
  if (count === undefined)
    throw new UsageError(`--expires-in is a time such as 90s, 30m, 8h or 7d, not "${text}".`);
  return Number(count) * (SECONDS[unit] ?? 1);
}
