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
  readonly say?: (line: string) => void;
}

export interface CrashReport extends Verdict {
  readonly killed: Readonly<Record<Victim, number>>;
  readonly injected: Readonly<Record<string, number>>;
  readonly refused: Readonly<Record<string, number>>;
  readonly seconds: number;
}

const VICTIMS = ['server', 'store'] as const;
const [FEWEST, MOST] = [5, 250];

export async function runCrash(options: CrashOptions): Promise<CrashReport> {
  const began = performance.now();
  const chance = chanceFrom(options.seed);
  const plant = await openPlant(options.store, chanceFrom(options.seed + 1), options.faults);
  const ledger = new Ledger(plant.server);
  try {
    await ledger.as({ sub: 'ada', roles: ['admin'] }).publish('drill', DRILL);
    const watch = new Watch(ledger);
    let over = false;
    const load = Promise.all(
      Array.from({ length: options.players }, (_, n) =>
        playOn(ledger, watch, { player: n, seed: options.seed + 100 + n, over: () => over }),
      ),
    );
    const killed = await Promise.race([killThem(plant, chance, options), load.then(() => endedEarly())]);
    over = true;
    await Promise.race([load, tooLate(options.players)]);
    plant.line.faults(0);
    const verdict = await verify(plant.endpoint(), ledger, watch);
    const seconds = Math.round((performance.now() - began) / 1000);
    return { ...verdict, killed, injected: plant.line.injected, refused: ledger.refused, seconds };
  } finally {
    ledger.close();
    await plant.stop();
  }
}

function endedEarly(): never {
  throw new Error('the load ended before the last kill');
}

/** Plays wait for clocks of a second: one that has not ended by now waits for what never comes. */
const PLAYS_END_MS = 60_000;

function tooLate(players: number): Promise<never> {
  return new Promise((_, reject) => {
    const said = `of the ${players} last plays, some did not come to their end within ${PLAYS_END_MS / 1000} s`;
    setTimeout(() => reject(new Error(said)), PLAYS_END_MS).unref();
  });
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
async function playOn(ledger: Ledger, watch: Watch, { player, seed, over }: Player): Promise<void> {
  const chance = chanceFrom(seed);
  const plays = Object.values(PLAYS);
  for (let n = player; !over(); n++) {
    const play = plays[n % plays.length] ?? PLAYS.delivery;
    const owner = { sub: `owner-${player}-${n}` };
    await play({ ledger, chance, owner, begun: (id, by) => watch.follow(id, by) });
  }
}
