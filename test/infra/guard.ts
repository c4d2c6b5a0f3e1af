// IAM for tests: stands between functions and AWS, lets through what a function's role allows and refuses the rest.
// A function is known by its access key, as on AWS by its role's.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Guard {
  readonly url: string;
  /** By function: what it did, in the words of `allowed`. */
  readonly used: ReadonlyMap<string, ReadonlySet<string>>;
  readonly refused: readonly string[];
  stop(): Promise<void>;
}

export interface GuardProps {
  /** What each function may do, by its access key. */
  readonly allows: ReadonlyMap<string, ReadonlySet<string>>;
  /** The store's own names of the tables, with ours. */
  readonly tables: Readonly<Record<string, string>>;
  readonly store: string;
  /** Documents served to anybody, by path: the issuer's keys. */
  readonly documents: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

export async function startGuard({ allows, tables, store, documents }: GuardProps): Promise<Guard> {
  const used = new Map<string, Set<string>>();
  const refused: string[] = [];

  async function answer(request: IncomingMessage, body: string): Promise<Answer> {
    const url = request.url ?? '/';
    if (url in documents) return { status: 200, body: JSON.stringify(documents[url]) };
    const who = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? 'nobody';
    const target = String(request.headers['x-amz-target'] ?? '');
    const actions = actionsOf(request.method ?? '', url, target, body, tables);
    const forbidden = actions.filter((action) => !allows.get(who)?.has(action));
    refused.push(...forbidden.map((action) => `${who}: ${action}`));
    if (forbidden.length > 0 || actions.length === 0) return { status: 400, body: ACCESS_DENIED };
    used.set(who, new Set([...(used.get(who) ?? []), ...actions]));
    if (target.startsWith('DynamoDB_')) return forward(store, request, body);
    if (target.startsWith('AWSStepFunctions.')) return { status: 200, body: '{}' };
    return { status: 200, body: url.includes('/@connections/') ? '' : published(body) };
  }

  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const broken = (error: unknown): Answer => ({
        status: 500,
        body: JSON.stringify({ message: String(error) }),
      });
      void answer(request, body)
        .catch(broken)
        .then(({ status, body: text }) =>
          response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(text),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    used,
    refused,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const ACCESS_DENIED = JSON.stringify({
  __type: 'com.amazon.coral.service#AccessDeniedException',
  message: 'This function may not do that.',
});

interface Write {
  readonly TableName: string;
  readonly IndexName?: string;
}

/** What a request needs; a transaction needs what its parts need. */
function actionsOf(
  method: string,
  url: string,
  target: string,
  body: string,
  tables: GuardProps['tables'],
): string[] {
  if (url.includes('/@connections/')) return [`execute-api:ManageConnections ${method} @connections`];
  const states = /^AWSStepFunctions\.(\w+)$/.exec(target)?.[1];
  if (states === 'StopExecution') return ['states:StopExecution execution'];
  if (states !== undefined) return [`states:${states} StepFunctions::StateMachine`];
  if (target === 'AWSEvents.PutEvents') return ['events:PutEvents Events::EventBus'];
  const operation = /^DynamoDB_\d+\.(\w+)$/.exec(target)?.[1];
  if (operation === undefined) return [];
  const on = (action: string, { TableName, IndexName }: Write): string =>
    [`dynamodb:${action}`, tables[TableName] ?? TableName, IndexName].filter(Boolean).join(' ');
  if (operation === 'BatchGetItem') {
    const { RequestItems } = JSON.parse(body) as { RequestItems: object }; // the SDK wrote it
    return Object.keys(RequestItems).map((TableName) => on(operation, { TableName }));
  }
  if (operation !== 'TransactWriteItems') return [on(operation, JSON.parse(body) as Write)];
  const { TransactItems } = JSON.parse(body) as { TransactItems: Record<string, Write>[] }; // the SDK wrote it
  return TransactItems.flatMap((part) => Object.entries(part)).map(([kind, write]) =>
    on(`${kind}Item`, write),
  );
}

async function forward(store: string, { headers }: IncomingMessage, body: string): Promise<Answer> {
  const passed = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target'];
  const response = await fetch(store, {
    method: 'POST',
    headers: Object.fromEntries(passed.map((name) => [name, String(headers[name])])),
    body,
  });
  return { status: response.status, body: await response.text() };
}

function published(body: string): string {
  const { Entries } = JSON.parse(body) as { Entries: unknown[] }; // PutEvents
  return JSON.stringify({ FailedEntryCount: 0, Entries: Entries.map((_, i) => ({ EventId: String(i) })) });
}
