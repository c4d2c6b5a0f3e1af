// Events of one instance, a line each, under them a bar where there is a terminal to redraw it on.
import type { Client } from '../client/create-client.ts';
import type { StepgateEvent } from '../client/messages.ts';
import type { Status } from '../client/shapes.ts';
import { type Call, EXIT } from './command.ts';
import { describeEvent, progressIn } from './describe-event.ts';
import { progressBar } from './progress-bar.ts';
import { lineTeller } from './server.ts';

const ENDS: Readonly<Record<string, number>> = {
  'workflow.completed': EXIT.ok,
  'workflow.failed': EXIT.failed,
  'workflow.cancelled': EXIT.failed,
};
const ENDED: Partial<Record<Status, number>> = {
  completed: EXIT.ok,
  failed: EXIT.failed,
  cancelled: EXIT.failed,
};

const PAGE = 100;

/** Without `after`: from now on. The exit code, once it has ended. */
export async function watchInstance(
  { streams, flags }: Call,
  client: Client,
  instance_id: string,
  after: number | undefined,
): Promise<number> {
  const { version, status, current_step, progress } = await client.details(instance_id);
  const screen = new Screen(streams, flags['json'] === true);
  const ended = ENDED[status];
  const from = after ?? version;
  if (ended !== undefined) {
    for await (const event of pastEvents(client, instance_id, from)) screen.event(event);
    return screen.end(`${instance_id} is ${status}.`, ended);
  }
  if (from >= version) screen.bar(progress.percent, current_step);
  const onState = lineTeller((line) => screen.note(line));
  for await (const event of client.events(`instance:${instance_id}`, { after: from, onState })) {
    screen.event(event);
    // An instance that was resumed had ended before.
    const code = event.seq > version ? ENDS[event.type] : undefined;
    if (code !== undefined) return screen.end(null, code);
  }
  return EXIT.failed;
}

/** Of an instance that has ended: there is nothing to wait for. */
async function* pastEvents(client: Client, instance_id: string, from: number): AsyncGenerator<StepgateEvent> {
  for (let after: number | null = from; after !== null; ) {
    const page: Awaited<ReturnType<Client['history']>> = await client.history(instance_id, {
      after,
      limit: PAGE,
    });
    for (const { events } of page.items) yield* events;
    after = page.next === null ? null : Number(page.next);
  }
}

class Screen {
  readonly #streams: Call['streams'];
  readonly #json: boolean;
  #drawn = '';

  constructor(streams: Call['streams'], json: boolean) {
    this.#streams = streams;
    this.#json = json;
  }

  event(event: StepgateEvent): void {
    if (this.#json) return this.#streams.out(JSON.stringify(event));
    const { name, words } = describeEvent(event);
    const done = progressIn(event);
    const share = done && !this.#streams.draw ? `  ${done.percent} %` : '';
    this.#line(`${event.at.slice(11, 19)}  ${name.padEnd(20)}  ${words}${share}`.trimEnd());
    if (done) this.bar(done.percent, done.step);
  }

  /** Not an event: beside the output. */
  note(line: string): void {
    const { draw, err } = this.#streams;
    if (this.#drawn !== '') draw?.('\r\x1b[2K');
    err(line);
    if (this.#drawn !== '') draw?.(this.#drawn);
  }

  /** Only where it can be drawn again. */
  bar(percent: number, step: string): void {
    const { draw } = this.#streams;
    if (this.#json || !draw) return;
    this.#drawn = `${progressBar(percent)}  ${step}`;
    draw(`\r\x1b[2K${this.#drawn}`);
  }

  end(words: string | null, code: number): number {
    if (words !== null && !this.#json) this.#line(words);
    if (this.#drawn !== '') this.#streams.draw?.('\n');
    return code;
  }

  /** Above the bar. */
  #line(text: string): void {
    const { draw, out } = this.#streams;
    if (draw && this.#drawn !== '') draw('\r\x1b[2K');
    out(text);
    if (draw && this.#drawn !== '') draw(this.#drawn);
  }
}
