// How long to wait before the next try: twice as long each time up to a limit, and never all clients at once.

export interface Backoff {
  readonly first_ms: number;
  readonly most_ms: number;
}

/** `tried` is 0 before the second try. `chance` is between 0 and 1. */
export function delayOf({ first_ms, most_ms }: Backoff, tried: number, chance: number): number {
  const whole = Math.min(most_ms, first_ms * 2 ** Math.min(tried, 30));
  return Math.round(whole * (0.5 + chance / 2));
}

/** Waits, or throws the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
