// npm run demo: a server of its own, two workflows played by scripted agents and people, their events live.
// `--fast` leaves the pauses out. Exits with 1 if anything is not as it should be; leaves nothing behind.
import { startFreshServer } from './demo/fresh-server.ts';
import { playDelivery } from './demo/play-delivery.ts';
import { playOnboarding } from './demo/play-onboarding.ts';
import { Screen } from './demo/screen.ts';
import { showHistory } from './demo/show-history.ts';

const PAUSE_MS = 700;
const fast = process.argv.includes('--fast');
const screen = new Screen(process.stdout, process.stdout.isTTY && !process.env['NO_COLOR']);
const breathe = (): Promise<void> =>
  fast ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

const starting = startFreshServer();
// A second Ctrl-C does not stop the tidying up.
const interrupted = new Promise<never>((_resolve, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => reject(new Error(`stopped by ${signal}`)));
  process.stdout.once('error', reject); // nobody reads on, as in `npm run demo | head`
});

async function play(): Promise<void> {
  screen.line('Starting a server of its own …');
  const server = await starting;
  screen.line(`Stepgate listens on ${server.url}`);
  const stage = { server, screen, breathe };
  const plays = [await playOnboarding(stage), await playDelivery(stage)];
  let [commits, events] = [0, 0];
  for (const played of plays) {
    const shown = await showHistory(screen, played);
    commits += shown.commits;
    events += shown.events;
  }
  screen.line('');
  screen.line(`${commits} commits, ${events} events, each seen once and in order.`);
  screen.line('Both workflows are complete.');
}

try {
  await Promise.race([play(), interrupted]);
} catch (error) {
  screen.close();
  console.error(`The demo failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
await starting.then(
  (server) => server.stop(),
  () => {}, // it has cleaned up after itself
);
process.exit(); // a play that was broken off may still be waiting for something
