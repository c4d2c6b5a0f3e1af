// npm run crash: kills the server and the store in turn under a mixed load, then checks that nothing was lost, doubled
// or left behind. The same seed strikes at the same writes. Exits with 1 if anything is not as it should be.
import { parseArgs } from 'node:util';
import { type CrashReport, runCrash } from './crash/run-crash.ts';

process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] = 'true';

const HELP = `npm run crash -- [options]

  --kills N      how often something is killed; the server and the store in turn (20)
  --seed N       where it is struck; the same number strikes at the same writes (a new one each time)
  --players N    how many workflows are played at a time (10: one of each kind)
  --faults P     per cent of the store's requests that meet each kind of fault (1; 0 for none)
  --minutes N    the run is given up after these (15)
  --store KIND   dynoxide or dynamodb-local (the first one that is there)
  --json         the report as JSON
  --help         this text`;

function numberOf(name: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= least && number <= most) return number;
  throw new Error(`--${name} is "${text}". Give a number from ${least} to ${most}.`);
}

const whole = (name: string, text: string, least: number, most: number): number =>
  Math.trunc(numberOf(name, text, least, most));

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      players: { type: 'string', default: '10' },
      faults: { type: 'string', default: '1' },
      minutes: { type: 'string', default: '15' },
      store: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const seed = whole('seed', values.seed, 0, 2 ** 31);
  const say = (line: string): void => void (values.json || console.log(line));
  say(`seed ${seed}`);
  const report = await runCrash({
    seed,
    kills: whole('kills', values.kills, 1, 1_000),
    players: whole('players', values.players, 1, 64),
    faults: numberOf('faults', values.faults, 0, 20) / 100,
    most_seconds: numberOf('minutes', values.minutes, 0.1, 600) * 60,
    store: values.store,
    say,
  });
  console.log(values.json ? JSON.stringify({ seed, ...report }, null, 2) : describe(report));
  return report.problems.length === 0 ? 0 : 1;
}

function describe({ killed, injected, refused, played, counts, problems, seconds }: CrashReport): string {
  const rows = Object.entries({
    ...prefixed('killed', killed),
    ...prefixed('injected', injected),
    ...prefixed('refused', refused),
    ...prefixed('played', played),
    ...counts,
    seconds,
  });
  return [
    '',
    ...rows.map(([name, count]) => `  ${name.replaceAll('_', ' ').padEnd(34)} ${String(count).padStart(7)}`),
    '',
    ...problems.map((problem) => `✗ ${problem}`),
    problems.length === 0
      ? '✓ every acknowledged signal once, seq gapless, every replay clean, every subscriber complete and in order,\n' +
        '  lists, inboxes and sessions as the logs say, executions all settled'
      : `${problems.length} problems`,
  ].join('\n');
}

const prefixed = (prefix: string, counts: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${prefix} ${name}`, count]));

// Whoever still waits when a run is given up is not waited for.
try {
  process.exit(await main());
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exit(1);
}
