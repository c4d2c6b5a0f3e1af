// Every HTTP route as a function, with the shapes of its arguments and answers.
import type * as shape from './shapes.ts';
import { type CallOptions, request, type Transport, type WriteOptions } from './request.ts';

type Query = Readonly<Record<string, string | number | undefined>>;

const part = encodeURIComponent;
const of = (instance_id: string, rest = ''): string => `/api/workflows/${part(instance_id)}${rest}`;

const session = (session_name: string, rest = ''): string => `/api/sessions/${part(session_name)}${rest}`;

export function makeCalls(transport: Transport) {
  const get = <T>(path: string, options: CallOptions = {}, query: Query = {}): Promise<T> =>
    request<T>(transport, { ...options, method: 'GET', path, query });
  const post = <T>(path: string, body: unknown, options: WriteOptions = {}): Promise<T> =>
    request<T>(transport, { ...options, method: 'POST', path, body });
  /** A call that says something to one instance. */
  const tell =
    <Body>(rest: string) =>
    (instance_id: string, body: Body, options?: WriteOptions): Promise<shape.Answer> =>
      post<shape.Answer>(of(instance_id, rest), body, options);

  return {
    start: (body: shape.Start, options?: WriteOptions) => post<shape.Answer>('/api/workflows', body, options),
    list: (query: shape.ListQuery = {}, options?: CallOptions) =>
      get<shape.Instances>('/api/workflows', options, { ...query }),
    active: (workflow_id?: string, options?: CallOptions) =>
      get<shape.Details>('/api/workflows/active', options, { workflow_id }),
    details: (instance_id: string, query: { at?: number } = {}, options?: CallOptions) =>
      get<shape.Details>(of(instance_id), options, { at: query.at }),
    progress: (instance_id: string, options?: CallOptions) =>
      get<shape.InstanceProgress>(of(instance_id, '/progress'), options),
    history: (instance_id: string, query: shape.HistoryQuery = {}, options?: CallOptions) =>
      get<shape.History>(of(instance_id, '/history'), options, { ...query }),
    next: (instance_id: string, options?: CallOptions) =>
      get<shape.NextStep>(of(instance_id, '/next'), options),
    prerequisites: (instance_id: string, step: string | number, options?: CallOptions) =>
      get<shape.Prerequisites>(of(instance_id, `/prerequisites/${part(step)}`), options),
    step: (instance_id: string, step: string | number, options?: CallOptions) =>
      get<shape.StepContent>(of(instance_id, `/steps/${part(step)}`), options),
    /** Hands in what a step asked for; the next step's content comes back, or what is missing and in which format. */
    completeStep: (
      instance_id: string,
      step: string | number,
      body: shape.Completion,
      options?: WriteOptions,
    ) => post<shape.PhaseVerdict>(of(instance_id, `/steps/${part(step)}/complete`), body, options),
    content: (instance_id: string, query: shape.ContentQuery, options?: CallOptions) =>
      get<shape.ContentSearch>(of(instance_id, '/content'), options, { ...query }),
    context: (instance_id: string, options?: CallOptions) =>
      get<shape.AgentContext>(of(instance_id, '/context'), options),
    /** The context as text, ready for a system prompt. */
    prompt: (instance_id: string, options?: CallOptions) =>
      request<string>(transport, {
        ...options,
        method: 'GET',
        path: of(instance_id, '/context'),
        query: { format: 'prompt' },
        as: 'text',
      }),
    signal: tell<shape.Signal>('/signal'),
    /** A user's message: to whom it concerns, or parked for the step it belongs to. */
    message: (instance_id: string, body: shape.Message, options?: WriteOptions) =>
      post<shape.MessageAnswer>(of(instance_id, '/message'), body, options),
    answer: tell<shape.BodyOf<'answer'>>('/answers'),
    approve: tell<shape.BodyOf<'approve'>>('/approve'),
    claim: tell<shape.BodyOf<'claim'>>('/claim'),
    release: tell<shape.BodyOf<'release'>>('/release'),
    heartbeat: tell<shape.BodyOf<'heartbeat'>>('/heartbeat'),
    override: tell<shape.BodyOf<'override'>>('/override'),
    cancel: tell<shape.BodyOf<'cancel'>>('/cancel'),
    resume: tell<shape.BodyOf<'resume'>>('/resume'),
    retry: tell<shape.BodyOf<'retry'>>('/retry'),
    fork: (instance_id: string, body: shape.Fork = {}, options?: WriteOptions) =>
      post<shape.Forked>(of(instance_id, '/fork'), body, options),
    migrate: (instance_id: string, body: Omit<shape.Migrate, 'dry_run'> = {}, options?: WriteOptions) =>
      post<shape.Answer>(of(instance_id, '/migrate'), body, options),
    /** Whether it would fit another version, and if not, why. */
    tryMigrate: (instance_id: string, body: Omit<shape.Migrate, 'dry_run'> = {}, options?: WriteOptions) =>
      post<shape.Fit>(of(instance_id, '/migrate'), { ...body, dry_run: true }, options),
    replay: (instance_id: string, query: shape.HistoryQuery = {}, options?: CallOptions) =>
      get<shape.Proof>(of(instance_id, '/replay'), options, { ...query }),
    metrics: (instance_id: string, options?: CallOptions) =>
      get<shape.Metrics>(of(instance_id, '/metrics'), options),
    widget: (instance_id: string, widget_type: string, body: shape.WidgetResult, options?: WriteOptions) =>
      post<shape.Answer>(of(instance_id, `/widgets/${part(widget_type)}`), body, options),
    tasks: (query: shape.TasksQuery = {}, options?: CallOptions) =>
      get<shape.PendingTasks>('/api/tasks', options, { ...query }),
    agentWork: (body: shape.AgentWork, options?: WriteOptions) =>
      post<shape.Validation>('/api/agent-work', body, options),
    facts: (query: shape.FactsQuery = {}, options?: CallOptions) =>
      get<shape.Facts>('/api/memory/facts', options, { ...query }),
    addFact: (body: shape.NewFact, options?: WriteOptions) =>
      post<shape.Fact>('/api/memory/facts', body, options),
    openSession: (body: shape.NewSession, options?: WriteOptions) =>
      post<shape.Session>('/api/sessions', body, options),
    sessions: (query: shape.Paging = {}, options?: CallOptions) =>
      get<shape.Sessions>('/api/sessions', options, { ...query }),
    /** A session with its instances. */
    session: (session_name: string, query: shape.Paging = {}, options?: CallOptions) =>
      get<shape.SessionPage>(session(session_name), options, { ...query }),
    commitSession: (session_name: string, options?: WriteOptions) =>
      post<shape.Session>(session(session_name, '/commit'), {}, options),
    cancelSession: (session_name: string, body: { reason?: string } = {}, options?: WriteOptions) =>
      post<shape.Session>(session(session_name, '/cancel'), body, options),
    definitions: (options?: CallOptions) => get<shape.Definitions>('/api/definitions', options),
    definition: (workflow_id: string, query: { version?: string } = {}, options?: CallOptions) =>
      get<shape.Definition>(`/api/definitions/${part(workflow_id)}`, options, { version: query.version }),
    versions: (workflow_id: string, options?: CallOptions) =>
      get<shape.Versions>(`/api/definitions/${part(workflow_id)}/versions`, options),
    publish: (workflow_id: string, definition: unknown, options: WriteOptions = {}) =>
      request<shape.Publication>(transport, {
        ...options,
        method: 'PUT',
        path: `/api/definitions/${part(workflow_id)}`,
        body: definition,
      }),
    /** The workflow as a Mermaid diagram. */
    diagram: (workflow_id: string, query: { version?: string } = {}, options?: CallOptions) =>
      request<string>(transport, {
        ...options,
        method: 'GET',
        path: `/api/definitions/${part(workflow_id)}`,
        query: { version: query.version, format: 'mermaid' },
        as: 'text',
      }),
  };
}

export type Calls = ReturnType<typeof makeCalls>;
