// The real clock of the runner.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../local/step-functions/clock.ts';

describe('a timer', () => {
  afterEach(() => vi.useRealTimers());

  it('never goes off before its instant', async () => {
    const early = await Promise.all(
      Array.from({ length: 300 }, (_, i) => {
        const at = systemClock.now() + (i % 30);
        return new Promise<number>((resolve) => {
          systemClock.setTimer(at, () => resolve(at - systemClock.now()));
        });
      }),
    );
    expect(Math.max(...early)).toBeLessThanOrEqual(0);
  });

  it('may be months away', () => {
    vi.useFakeTimers();
    let rang = false;
    const days = 24 * 3600 * 1000;
    systemClock.setTimer(systemClock.now() + 90 * days, () => (rang = true));
    vi.advanceTimersByTime(89 * days);
    expect(rang).toBe(false);
    vi.advanceTimersByTime(2 * days);
    expect(rang).toBe(true);
  });

  it('can be called off, also after it was set again', () => {
    vi.useFakeTimers();
    let rang = false;
    const days = 24 * 3600 * 1000;
    const cancel = systemClock.setTimer(systemClock.now() + 60 * days, () => (rang = true));
    vi.advanceTimersByTime(30 * days);
    cancel();
    vi.advanceTimersByTime(60 * days);
    expect([rang, vi.getTimerCount()]).toEqual([false, 0]);
  });
});
