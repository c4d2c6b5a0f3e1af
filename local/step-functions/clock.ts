// The runner's time: real, or advanced by hand in tests.

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs once that instant has come, by `now`. Answers with how to call it off. */
  setTimer(at: number, run: () => void): () => void;
}

/** Node's own timers wrap round after 24.8 days, so a longer one is set again on the way. */
const LONGEST_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer(at, run) {
    let timer: NodeJS.Timeout;
    const set = () => {
      timer = setTimeout(look, Math.min(Math.max(at - Date.now(), 0), LONGEST_MS));
    };
    // Node counts time from its start and may be a moment early by the clock on the wall.
    const look = () => (Date.now() < at ? set() : run());
    set();
    return () => clearTimeout(timer);
  },
};
