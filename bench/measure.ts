// Timing: several rounds of every contender in turn, so that a noisy moment hits them all; medians are compared.

export interface Contender {
  readonly name: string;
  /** Runs once and says how many operations that was. */
  readonly run: () => number;
}

/** Operations per second of each contender: the median of its rounds. */
export function interleaved(
  contenders: readonly Contender[],
  rounds = 15,
  roundMs = 60,
): Map<string, number> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { run } of contenders) timed(run, 2 * roundMs); // warm-up
  for (let round = 0; round < rounds; round++)
    for (const { name, run } of contenders) samples.get(name)?.push(timed(run, roundMs));
  return new Map([...samples].map(([name, rates]) => [name, median(rates)]));
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

/** Median milliseconds of one run. */
export function milliseconds(run: () => void, rounds: number): number {
  run();
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return median(times);
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
