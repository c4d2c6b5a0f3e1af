// Chance that can be repeated: the same seed draws the same numbers.
export interface Chance {
  /** From 0 up to, but not including, 1. */
  next(): number;
  between(least: number, most: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
}

/** Mulberry32: 32 bits of state are plenty for choosing where to strike. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return { next, between, pick: (from) => from[between(0, from.length - 1)] ?? from[0] };
}
