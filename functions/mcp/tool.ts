// One tool: what clients are told of it, and what runs when it is called.
import type { InputRequiredResult } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { App } from '../../shared/app/app.ts';
import { parseBody } from '../../shared/app/schemas.ts';
import type { Actor } from '../../shared/engine/index.ts';
import { type ObjectSchema, outputSchemaOf, schemaOf } from './json-schema.ts';

/** Who asks, through what, and with what the call came besides its arguments. */
export interface Asking {
  readonly app: App;
  readonly caller: Actor;
  /** The Idempotency-Key of the HTTP request. */
  readonly key: string | undefined;
  /** The client can put a form before the person who uses it, and send the call again with what they said. */
  readonly elicits: boolean;
  /** What came back from such forms, by name. Nothing of it has been checked. */
  readonly responses: Readonly<Record<string, unknown>> | undefined;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: 'reads' | 'writes' | 'destroys';
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  call(args: unknown, asking: Asking): Promise<object>;
}

/** Said beside every tool that writes. */
const IdempotencyKey = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe('Makes a repeat of this very call harmless: the first answer is given again.');

interface Definition<I extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly kind: Tool['kind'];
  readonly input: z.ZodObject<I, z.core.$strict>;
  readonly output: z.ZodObject;
  /** Other names by which callers know an argument: `{ instance_id: ['session_id'] }`. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  readonly run: (
    args: z.output<z.ZodObject<I, z.core.$strict>>,
    asking: Asking,
  ) => Promise<object | InputRequiredResult>;
}

export function defineTool<I extends z.ZodRawShape>(definition: Definition<I>): Tool {
  const { name, title, description, kind, input, output, aliases = {}, run } = definition;
  const told = kind === 'reads' ? input : input.extend({ idempotency_key: IdempotencyKey });
  return {
    name,
    title,
    description,
    kind,
    // Made when somebody asks for the list: most calls never do.
    get inputSchema() {
      return schemaOf(told);
    },
    get outputSchema() {
      return outputSchemaOf(output);
    },
    call: (given, asking) => {
      const { idempotency_key, ...args } = renamed(given, aliases);
      const key = kind === 'reads' ? asking.key : keyOf(idempotency_key, asking.key);
      return run(parseBody(input, args, `call of ${name}`), { ...asking, key });
    },
  };
}

/** The key of the call, else that of the request. */
export function keyOf(given: unknown, otherwise: string | undefined): string | undefined {
  const { idempotency_key } = parseBody(
    z.object({ idempotency_key: IdempotencyKey }),
    given === undefined ? {} : { idempotency_key: given },
    'arguments',
  );
  return idempotency_key ?? otherwise;
}

function renamed(
  given: unknown,
  aliases: Readonly<Record<string, readonly string[]>>,
): Record<string, unknown> {
  const args: Record<string, unknown> =
    typeof given === 'object' && given !== null && !Array.isArray(given) ? { ...given } : {};
  for (const [name, others] of Object.entries(aliases)) {
    const other = others.find((one) => Object.hasOwn(args, one));
    if (other === undefined || Object.hasOwn(args, name)) continue;
    args[name] = args[other];
    delete args[other];
  }
  return args;
}

/** The same tool for one instance, whose id callers need not give. */
export function bindTool(
  tool: Tool,
  argument: string,
  instance_id: string,
  description = tool.description,
): Tool {
  const { name, title, kind } = tool;
  return {
    name,
    title,
    description,
    kind,
    get inputSchema() {
      return without(tool.inputSchema, argument);
    },
    get outputSchema() {
      return tool.outputSchema;
    },
    call: (args, asking) => tool.call({ ...(args as object), [argument]: instance_id }, asking), // nothing or an object
  };
}

function without({ properties, required, ...rest }: ObjectSchema, argument: string): ObjectSchema {
  const { [argument]: _, ...others } = properties as Record<string, unknown>; // an object's, by its schema
  const still = (required as string[] | undefined)?.filter((name) => name !== argument) ?? []; // likewise
  return { ...rest, type: 'object', properties: others, ...(still.length > 0 ? { required: still } : {}) };
}
