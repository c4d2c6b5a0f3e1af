// A load of mixed workflows while the server and, in turn, the store are killed; then everything is checked.
import { chanceFrom } from './chance.ts';
import { Ledger } from './ledger.ts';
import { openPlant, type Plant, type Victim } from './plant.ts';
import { DRILL, PLAYS } from './plays.ts';
import type { Moment } from './store-line.ts';
import { type Verdict, verify } from './verify.ts';
import { Watch } from './watch.ts';

export interface CrashOptions {
  readonly seed: number;
  readonly kills: number;
  /** How many plays go on at a time. */
  readonly players: number;
  /** The share of requests to the store that meet each kind of fault. */
  readonly faults: number;
  readonly store?: string | undefined;
  /** After these the run ends, whatever it waits for. */
  readonly most_seconds: number;
  readonly say?: (line: string) => void;
}

export interface CrashReport extends Verdict {
  readonly killed: Readonly<Record<Victim, number>>;
  readonly injected: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  /** How many of each kind came to their end. */
  readonly played: Readonly<Record<string, number>>;
  readonly seconds: number;
}

const VICTIMS = ['server', 'store'] as const;
const [FEWEST, MOST] = [5, 250];

export async function runCrash(options: CrashOptions): Promise<CrashReport> {
  const plant = await openPlant(options.store, chanceFrom(options.seed + 1), options.faults);
  const ledger = new Ledger(plant.server);
  try {
    return await Promise.race([strikeAndVerify(options, plant, ledger), overdue(options.most_seconds)]);
  } finally {
    ledger.close();
    await plant.stop();
  }
}

async function strikeAndVerify(options: CrashOptions, plant: Plant, ledger: Ledger): Promise<CrashReport> {
  const began = performance.now();
  await ledger.as({ sub: 'ada', roles: ['admin'] }).publish('drill', DRILL);
  const watch = new Watch(ledger);
  const played: Record<string, number> = {};
  let over = false;
  const load = Promise.all(
    Array.from({ length: options.players }, (_, n) =>
      playOn(ledger, watch, played, { player: n, seed: options.seed + 100 + n, over: () => over }),
    ),
  );
  const chance = chanceFrom(options.seed);
  const killed = await Promise.race([killThem(plant, chance, options), load.then(() => endedEarly())]);
  over = true;
  const unfinished = await Promise.race([load.then(() => []), tooLate(options.players)]);
  plant.line.faults(0);
  const { problems, counts } = await verify(plant.endpoint(), ledger, watch);
  return {
    problems: [...unfinished, ...problems],
    counts,
    killed,
    injected: plant.line.injected,
    refused: ledger.refused,
    played,
    seconds: Math.round((performance.now() - began) / 1000),
  };
}

function endedEarly(): never {
  throw new Error('the load ended before the last kill');
}

function overdue(seconds: number): Promise<never> {
  return new Promise((_, reject) => {
    const said = `nothing more happens, or too slowly: the run was given up after ${seconds} s`;
    setTimeout(() => reject(new Error(said)), seconds * 1000).unref();
  });
}

/** Plays wait for clocks of a second: one that has not ended by now waits for what never comes. */
const PLAYS_END_MS = 60_000;

function tooLate(players: number): Promise<string[]> {
  const said = `of the ${players} last plays, some did not come to their end within ${PLAYS_END_MS / 1000} s`;
  return new Promise((resolve) => setTimeout(() => resolve([said]), PLAYS_END_MS).unref());
}

async function killThem(plant: Plant, chance: ReturnType<typeof chanceFrom>, { kills, say }: CrashOptions) {
  const killed: Record<Victim, number> = { server: 0, store: 0 };
  for (let n = 0; n < kills; n++) {
    const victim = VICTIMS[n % 2] ?? 'server';
    const after = chance.between(FEWEST, MOST);
    const moment = chance.pick<Moment>(['before it lands', 'after it landed']);
    await plant.kill(victim, after, moment);
    killed[victim]++;
    say?.(`kill ${n + 1} of ${kills}: the ${victim}, on write ${after + 1}, ${moment}`);
  }
  return killed;
}

interface Player {
  readonly player: number;
  readonly seed: number;
  readonly over: () => boolean;
}

/** One play after another, each of its own owner, until it is over. */
async function playOn(
  ledger: Ledger,
  watch: Watch,
  played: Record<string, number>,
  { player, seed, over }: Player,
): Promise<void> {
  const chance = chanceFrom(seed);
  const plays = Object.entries(PLAYS);
  for (let n = player; !over(); n++) {
    const [name, play] = plays[n % plays.length] ?? ['delivery', PLAYS.delivery];
    await play({
      ledger,
      chance,
      owner: { sub: `owner-${player}-${n}` },
      begun: (id, by) => watch.follow(id, by),
      closing: (session) => watch.closing(session),
    });
    played[name] = (played[name] ?? 0) + 1;
  }
}
