// What the demo shows: who says what, the events as they come in, and a bar that grows at the bottom of a terminal.
// Where there is no terminal the same lines come without colours, and the bar as a line whenever it has grown.
import type { StepgateEvent } from '../../client/node.ts';
import { describeEvent } from '../../cli/describe-event.ts';

export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001b[2K';

export class Screen {
  readonly #output: Output;
  readonly #colours: boolean;
  #bar = '';
  #closed = false;

  constructor(output: Output, colours = output.isTTY === true) {
    this.#output = output;
    this.#colours = colours;
  }

  title(text: string, more: string): void {
    this.#line('');
    this.#line(`${this.#paint(1, text)}  ${more}`);
  }

  say(who: string, text: string): void {
    this.#line(`  ${this.#paint(36, who.padEnd(12))} ${text}`);
  }

  event(event: StepgateEvent): void {
    const { name, words } = describeEvent(event);
    this.#line(
      `  ${this.#paint(90, `${' '.repeat(12)} ◂ ${event.seq}  ${name.padEnd(20)} ${words}`.trimEnd())}`,
    );
  }

  progress(title: string, percent: number, step: string): void {
    const full = Math.round((percent / 100) * BAR_WIDTH);
    const bar = `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`;
    const text = `  ${title.padEnd(12)} ${this.#paint(32, bar)} ${String(percent).padStart(3)} %  ${step}`;
    if (text === this.#bar || this.#closed) return;
    if (!this.#output.isTTY) this.#output.write(`${text}\n`);
    this.#bar = text;
    this.#drawBar();
  }

  /** The bar stays where it is, and what follows comes below it. */
  endBar(): void {
    if (this.#output.isTTY && this.#bar) this.#output.write('\n');
    this.#bar = '';
  }

  table(head: readonly string[], rows: readonly (readonly string[])[]): void {
    const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
    const line = (cells: readonly string[]) =>
      `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
    this.#line(this.#paint(1, line(head)));
    this.#line(line(widths.map((width) => '─'.repeat(width))));
    for (const row of rows) this.#line(line(row));
  }

  line(text: string): void {
    this.#line(text);
  }

  /** Nothing more is shown, whoever still talks. */
  close(): void {
    this.endBar();
    this.#closed = true;
  }

  #line(text: string): void {
    if (this.#closed) return;
    this.#output.write(`${this.#output.isTTY && this.#bar ? CLEAR_LINE : ''}${text}\n`);
    this.#drawBar();
  }

  #drawBar(): void {
    if (this.#output.isTTY && this.#bar) this.#output.write(`${CLEAR_LINE}${this.#bar}`);
  }

  #paint(code: number, text: string): string {
    return this.#colours ? `\u001b[${code}m${text}\u001b[0m` : text;
  }
}
