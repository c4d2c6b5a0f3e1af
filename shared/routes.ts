// The one table of routes: what CDK deploys, what the laptop serves, what the OpenAPI document says.
// `function` is the file functions/http/<function>.ts; `operation` is the name of its handler there.

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly function: HttpFunction;
  readonly operation: string;
  /** `caller`: a verified token is needed. `public`: none. */
  readonly access: 'caller' | 'public';
  readonly summary: string;
}

export const HTTP_FUNCTIONS = [
  'signals',
  'reads',
  'memory',
  'sessions',
  'recovery',
  'admin',
  'analysis',
  'docs',
] as const;
export type HttpFunction = (typeof HTTP_FUNCTIONS)[number];

const ONE = '/api/workflows/{instance_id}';

type Row = readonly [Route['method'], string, string, string];

const signals: readonly Row[] = [
  ['POST', '/api/workflows', 'start', 'Start an instance'],
  ['POST', `${ONE}/signal`, 'signal', 'Send a signal to the current step'],
  ['POST', `${ONE}/message`, 'message', "Pass a user's message on to whom it concerns"],
  ['POST', `${ONE}/answers`, 'answer', 'Answer the questions the step waits for'],
  ['POST', `${ONE}/approve`, 'approve', 'Approve or reject what waits for approval'],
  ['POST', `${ONE}/claim`, 'claim', 'Take a pending task with a lease'],
  ['POST', `${ONE}/release`, 'release', 'Give a claimed task back'],
  ['POST', `${ONE}/heartbeat`, 'heartbeat', 'Extend the lease of a claimed task'],
  ['POST', `${ONE}/override`, 'override', 'Overrule a block, as an admin, with a reason'],
  ['POST', `${ONE}/cancel`, 'cancel', 'Cancel an instance'],
  [
    'POST',
    `${ONE}/steps/{step}/complete`,
    'completeStep',
    'Hand in the evidence of a step; the next one comes back',
  ],
  ['POST', `${ONE}/widgets/{widget_type}`, 'widget', 'Hand in the result of a widget'],
  ['POST', '/api/agent-work', 'agentWork', 'Report work done, as an agent.work.completed body'],
];

const reads: readonly Row[] = [
  ['GET', '/api/workflows', 'list', 'List the instances you may see'],
  ['GET', '/api/workflows/active', 'active', 'Your active instance with its state'],
  ['GET', ONE, 'details', 'An instance with its context, now or as of a commit'],
  ['GET', `${ONE}/progress`, 'progress', 'How far an instance is'],
  ['GET', `${ONE}/history`, 'history', 'The audit trail'],
  ['GET', `${ONE}/next`, 'next', 'What comes next, and what holds it up'],
  ['GET', `${ONE}/prerequisites/{step}`, 'prerequisites', 'What must be done before a step'],
  ['GET', `${ONE}/steps/{step}`, 'step', 'The content of an unlocked step'],
  ['GET', `${ONE}/context`, 'context', 'What an agent needs to do the current step'],
  ['GET', '/api/tasks', 'tasks', 'The tasks that wait for a role'],
  ['GET', '/api/definitions', 'definitions', 'The workflows there are'],
  ['GET', '/api/definitions/{workflow_id}', 'definition', 'One workflow, as data or as a Mermaid diagram'],
  ['GET', '/api/definitions/{workflow_id}/versions', 'versions', 'The versions of a workflow'],
];

const recovery: readonly Row[] = [
  ['POST', `${ONE}/resume`, 'resume', 'Go on with a failed or cancelled instance, from a step'],
  ['POST', `${ONE}/retry`, 'retry', 'Start over from the entry, where the workflow recovers so'],
  ['POST', `${ONE}/fork`, 'fork', 'A new instance that goes on from any commit of this one'],
  ['POST', `${ONE}/migrate`, 'migrate', 'Move an instance to another version of its definition'],
];

const admin: readonly Row[] = [
  ['PUT', '/api/definitions/{workflow_id}', 'publish', 'Publish a version of a workflow'],
];

const memory: readonly Row[] = [
  ['POST', '/api/memory/facts', 'addFact', 'Remember a fact about a person'],
  ['GET', '/api/memory/facts', 'facts', 'The facts about a person'],
];

const SESSION = '/api/sessions/{session_name}';

const sessions: readonly Row[] = [
  ['POST', '/api/sessions', 'openSession', 'Open a session'],
  ['GET', '/api/sessions', 'sessions', 'Your sessions'],
  ['GET', SESSION, 'session', 'A session with its instances'],
  ['POST', `${SESSION}/commit`, 'commitSession', 'Make the instances of a session global'],
  ['POST', `${SESSION}/cancel`, 'cancelSession', 'Delete a session with its instances'],
];

const analysis: readonly Row[] = [
  ['GET', `${ONE}/replay`, 'replay', 'Prove the audit trail: recompute every state, check every link'],
  ['GET', `${ONE}/metrics`, 'metrics', 'Times, retries and calls, counted from the log'],
  ['GET', `${ONE}/content`, 'content', 'Search the text of unlocked steps'],
];

const rows = (name: HttpFunction, of: readonly Row[], access: Route['access'] = 'caller'): Route[] =>
  of.map(([method, path, operation, summary]) => ({
    method,
    path,
    function: name,
    operation,
    access,
    summary,
  }));

export const ROUTES: readonly Route[] = [
  ...rows('signals', signals),
  ...rows('reads', reads),
  ...rows('memory', memory),
  ...rows('sessions', sessions),
  ...rows('recovery', recovery),
  ...rows('admin', admin),
  ...rows('analysis', analysis),
  ...rows('docs', [['GET', '/openapi.json', 'openapi', 'This API as an OpenAPI 3.1 document']], 'public'),
];

/** The Model Context Protocol: JSON-RPC over POST, so the OpenAPI document leaves it out. Served by functions/mcp/endpoint.ts. */
export interface McpRoute extends Omit<Route, 'function' | 'operation'> {
  readonly function: 'mcp';
}

/** Older clients ask for a stream and end sessions; they are told that there is neither. */
const MCP_METHODS = ['POST', 'GET', 'DELETE'] as const;

export const MCP_ROUTES: readonly McpRoute[] = [
  ['/mcp', 'MCP: the tools of all instances'],
  ['/mcp/{instance_id}', 'MCP: the tools that are legal in one instance now'],
].flatMap(([path = '', summary = '']) =>
  MCP_METHODS.map((method): McpRoute => ({ method, path, function: 'mcp', access: 'caller', summary })),
);

export type ServedRoute = Route | McpRoute;

/** The function that serves a route: functions/<group>/<name>.ts. */
export const fileOf = (name: ServedRoute['function']): string =>
  name === 'mcp' ? 'mcp/endpoint' : `http/${name}`;

/** As API Gateway names a route: "POST /api/workflows/{instance_id}/signal". */
export const routeKey = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** WebSocket routes and the function that serves each: functions/websocket/<function>.ts. */
export const SOCKET_ROUTES = {
  $connect: 'connection',
  $disconnect: 'connection',
  subscribe: 'messages',
  unsubscribe: 'messages',
  signal: 'messages',
  ping: 'messages',
  $default: 'messages',
} as const;
