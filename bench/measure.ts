// Timing: many short rounds of every contender in turn; the best of each is kept, since whatever else runs on the
// machine can only slow a round down.

export interface Contender {
  readonly name: string;
  /** Runs once and says how many operations that was. */
  readonly run: () => number;
}

/** Operations per second of each contender, in its best round. */
export function interleaved(
  contenders: readonly Contender[],
  rounds = 15,
  roundMs = 60,
): Map<string, number> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { run } of contenders) timed(run, 2 * roundMs); // warm-up
  for (let round = 0; round < rounds; round++)
    for (const { name, run } of contenders) samples.get(name)?.push(timed(run, roundMs));
  return new Map([...samples].map(([name, rates]) => [name, Math.max(...rates)]));
}

function timed(run: () => number, atLeastMs: number): number {
  const start = performance.now();
  let operations = 0;
  let elapsed = 0;
  do {
    operations += run();
    elapsed = performance.now() - start;
  } while (elapsed < atLeastMs);
  return (operations * 1000) / elapsed;
}

/** Milliseconds of one run, at best. */
export function milliseconds(run: () => void, rounds: number): number {
  run();
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}
