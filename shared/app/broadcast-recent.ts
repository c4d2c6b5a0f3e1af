// The latest things that were done, so that they are not done twice. Bounded: the oldest are forgotten.

export interface Recent {
  has(key: string): boolean;
  add(key: string): void;
}

export function createRecent(most = 20_000): Recent {
  const keys = new Set<string>();
  return {
    has: (key) => keys.has(key),
    add(key) {
      keys.add(key);
      if (keys.size <= most) return;
      const [oldest] = keys;
      if (oldest !== undefined) keys.delete(oldest);
    },
  };
}
