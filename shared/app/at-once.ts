// Runs many side by side, so many at a time. All come to their end, also when one fails; then the first failure is
// thrown.

export async function atOnce<T>(
  most: number,
  items: Iterable<T>,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items].values();
  const failures: unknown[] = [];
  const worker = async () => {
    for (const item of queue) await run(item).catch((error: unknown) => failures.push(error));
  };
  await Promise.all(Array.from({ length: most }, worker));
  if (failures.length > 0) throw failures[0];
}
