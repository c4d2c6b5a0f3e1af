// What HTTP callers may send besides the engine's own signals: paths, query strings, and the bodies that no
// signal has. Handlers parse with these and the OpenAPI document is built from them, so they cannot disagree.
//   U1  A query string arrives as text: numbers are read strictly ("1e2", "" and " 5" are not numbers).
//   U2  What is not known is refused with its name, not ignored: a misspelt filter must not widen a list.
import * as z from 'zod';
import { bodies, invalidRequest, JsonRecord, plainJson, STATUSES, strict } from '../engine/index.ts';

const Short = z.string().min(1).max(200);

/** Stays readable in a URL, a topic and a key; "active" is a path of its own. */
export const InstanceId = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._~:-]{0,199}$/,
    'must have 1 to 200 letters, digits or . _ ~ : -, and begin with a letter or a digit',
  )
  .refine((id) => id !== 'active', 'must not be "active", which is a path of its own');

/** `#` separates the parts of a key in the store. */
const Category = Short.regex(/^[^#\p{Cc}]+$/u, 'must not hold "#" or control characters');

export const whole = (min: number, max: number, words: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, words)
    .transform(Number)
    .pipe(z.int().min(min, words).max(max, words));

const MOST = 100;
const limit = whole(1, MOST, `must be a whole number from 1 to ${MOST}`)
  .default(20)
  .describe(`How many at most, 1 to ${MOST}.`);
const next = z
  .string()
  .min(1)
  .max(4_000)
  .optional()
  .describe('The `next` of the page before, as it was given.');
const seq = whole(1, Number.MAX_SAFE_INTEGER, 'must be the number of a commit: 1, 2, 3 …');
const page = { limit, next };

/** One for each operation that reads a query string; values are text, as API Gateway hands them over. */
export const queries = {
  list: strict({
    status: z.enum(STATUSES).optional().describe('Only instances with this status.'),
    workflow_id: Short.optional().describe('Only instances of this workflow.'),
    session_name: Short.optional().describe('Only instances of this session.'),
    ...page,
  }),
  active: strict({ workflow_id: Short.optional().describe('Which workflow, if several are active.') }),
  details: strict({ at: seq.optional().describe('The state as of this commit instead of now.') }),
  history: strict({
    after: whole(0, Number.MAX_SAFE_INTEGER, 'must be the number of a commit, or 0')
      .optional()
      .describe('Only commits after this one.'),
    next: whole(0, Number.MAX_SAFE_INTEGER, 'must be the `next` of the page before')
      .optional()
      .describe('The `next` of the page before; the same as `after`.'),
    limit,
  }),
  context: strict({
    format: z.enum(['json', 'prompt']).default('json').describe('`prompt`: text for a system prompt.'),
  }),
  content: strict({
    q: z.string().trim().min(1, 'is needed: say what to look for').max(1_000).describe('What to look for.'),
    limit: whole(1, 50, 'must be a whole number from 1 to 50')
      .default(5)
      .describe('How many passages at most.'),
    max_tokens: whole(50, 20_000, 'must be a whole number from 50 to 20000')
      .default(1_000)
      .describe('About how many tokens the passages may have together.'),
  }),
  tasks: strict({
    role: Short.optional().describe('One of your roles; all of them if left out.'),
    ...page,
  }),
  definition: strict({
    version: Short.optional().describe('An earlier version, by its content hash.'),
    format: z.enum(['json', 'mermaid']).default('json'),
  }),
  facts: strict({
    user_id: Short.optional().describe('Whose facts; your own if left out.'),
    category: Category.optional(),
    ...page,
  }),
  session: strict(page),
  sessions: strict(page),
  none: strict({}),
};

/** Path parameters, by their names in the table of routes. */
export const paths = {
  instance_id: Short.describe('The id of the instance.'),
  step: Short.describe('A step, by its id or its number.'),
  widget_type: Short.describe('The widget that was filled in.'),
  workflow_id: Short.describe('The id of the workflow definition.'),
  session_name: Short.describe('The name of the session.'),
};

export const StartRequest = strict({
  workflow_id: Short,
  params: JsonRecord.optional(),
  session_name: Short.optional(),
  subject: Short.optional(),
  instance_id: InstanceId.optional(),
  /** Whose instance it is, if not the caller's own. */
  user_id: Short.optional(),
});
export type StartRequest = z.infer<typeof StartRequest>;

/** A user's message: `text`, or `message` as some clients call it. */
export const MessageRequest = bodies.message
  .extend({ text: bodies.message.shape.text.optional(), message: bodies.message.shape.text.optional() })
  .refine(({ text, message }) => (text === undefined) !== (message === undefined), {
    message: 'is needed: say what the message is',
    path: ['text'],
  });
export type MessageRequest = z.infer<typeof MessageRequest>;

export const WidgetRequest = bodies.widget.omit({ widget_type: true });
export type WidgetRequest = z.infer<typeof WidgetRequest>;

/** What a step asked for, by the names it gave. */
export const CompletionRequest = strict({
  evidence: JsonRecord.default({}),
  artifacts: JsonRecord.optional(),
});

export const FactRequest = strict({
  memory: z.string().trim().min(1).max(5_000),
  category: Category,
  user_id: Short.optional(),
  metadata: JsonRecord.optional(),
});
export type FactRequest = z.infer<typeof FactRequest>;

/** What others call the text of a fact. */
const ALSO_MEMORY = ['text', 'content', 'fact'];

/** A fact as Mem0 names its parts, or with its text under a name that others use. */
export function readFact(body: unknown): FactRequest {
  if (typeof body !== 'object' || body === null || 'memory' in body)
    return parseBody(FactRequest, body, 'fact');
  const entries = Object.entries(body).map(([key, value]: [string, unknown]) => [
    ALSO_MEMORY.includes(key) ? 'memory' : key,
    value,
  ]);
  return parseBody(FactRequest, Object.fromEntries(entries), 'fact');
}

/** Reads a body. Throws only a Fault: invalid_request with the path of every issue, or state_too_large. */
export function parseBody<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  return parse(schema, value, what, '(body)');
}

/** Reads a query string as API Gateway hands it over: a record of texts, or nothing at all. */
export function parseQuery<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  return parse(schema, value, 'query string', '(query)');
}

function parse<S extends z.ZodType>(schema: S, value: unknown, what: string, root: string): z.output<S> {
  const parsed = schema.safeParse(plainJson(value ?? {}, what));
  if (!parsed.success) throw invalidRequest(parsed.error, what, root);
  return parsed.data;
}
