// Asks the authorizer function who is connecting, and reads its policy as API Gateway does.
import * as z from 'zod';
import type { Handler } from '../handler.ts';
import { contextOf } from '../handler.ts';
import { METHOD_ARN } from './socket-event.ts';

const list = <T extends z.ZodType>(item: T) =>
  z.union([item, z.array(item)]).transform((value) => [value].flat());

const Answer = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: list(
      z.object({ Effect: z.enum(['Allow', 'Deny']), Action: list(z.string()), Resource: list(z.string()) }),
    ),
  }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullish(),
});

export type Verdict =
  | { readonly context: Readonly<Record<string, unknown>> }
  | { readonly status: 401 | 403 | 500 };

/** Throwing exactly "Unauthorized" is how an authorizer says 401; a policy that does not allow is 403. */
export async function authorizeConnect(handler: Handler, event: unknown): Promise<Verdict> {
  let said: unknown;
  try {
    said = await handler(event, contextOf('websocket/authorize'));
  } catch (error) {
    return { status: error instanceof Error && error.message === 'Unauthorized' ? 401 : 500 };
  }
  const answer = Answer.safeParse(said);
  if (!answer.success) return { status: 500 };
  const { policyDocument, context, principalId } = answer.data;
  const about = policyDocument.Statement.filter(
    ({ Action, Resource }) =>
      Action.some(matches('execute-api:Invoke')) && Resource.some(matches(METHOD_ARN)),
  );
  const allowed =
    about.some(({ Effect }) => Effect === 'Allow') && !about.some(({ Effect }) => Effect === 'Deny');
  return allowed ? { context: { ...asStrings(context ?? {}), principalId } } : { status: 403 };
}

/** Policies may use `*` and `?`. */
const matches =
  (wanted: string) =>
  (pattern: string): boolean =>
    new RegExp(
      `^${pattern
        .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
        .replaceAll('*', '.*')
        .replaceAll('?', '.')}$`,
      'i',
    ).test(wanted);

/** Numbers and booleans of the context arrive as texts. */
const asStrings = (context: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(context).map(([name, value]) => [name, String(value)]));
