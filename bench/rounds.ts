// Rates of asynchronous work: contenders take turns in one run, so that whatever else the machine does hits them alike.

export interface Worker {
  readonly name: string;
  /** One unit of work; says how many operations it was. */
  readonly run: () => Promise<number>;
}

/** Operations per second with so many in flight: the median over the rounds. */
export async function rates(
  workers: readonly Worker[],
  inFlight: number,
  { rounds = 5, roundMs = 1_500 } = {},
): Promise<Map<string, number>> {
  const samples = new Map<string, number[]>(workers.map(({ name }) => [name, []]));
  for (const worker of workers) await timed(worker, inFlight, roundMs / 2);
  for (let round = 0; round < rounds; round++)
    for (const worker of workers) samples.get(worker.name)?.push(await timed(worker, inFlight, roundMs));
  return new Map([...samples].map(([name, all]) => [name, median(all)]));
}

async function timed({ run }: Worker, inFlight: number, ms: number): Promise<number> {
  const start = performance.now();
  let operations = 0;
  const loop = async () => {
    while (performance.now() - start < ms) {
      const done = await run();
      operations += done;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return (operations * 1_000) / (performance.now() - start);
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;
