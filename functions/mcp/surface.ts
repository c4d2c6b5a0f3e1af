// What one endpoint offers: everything is worked out per request, so that it is right after each move.
import type { Prompt, Resource, TextResourceContents } from '@modelcontextprotocol/server';
import type { Asking, Tool } from './tool.ts';

export interface Surface {
  readonly instructions: string;
  list(asking: Asking): Promise<readonly Tool[]>;
  /** Undefined: there is no such tool now. `args`: what it would be called with. */
  find(name: string, asking: Asking, args: unknown): Promise<Tool | undefined>;
  resources(asking: Asking): Promise<readonly Resource[]>;
  read(uri: string, asking: Asking): Promise<TextResourceContents>;
  readonly prompts: readonly Prompt[];
  /** The text of the prompt; undefined if there is no such prompt. */
  prompt(name: string, args: Readonly<Record<string, string>>, asking: Asking): Promise<string | undefined>;
}
