// Stepgate as one construct, for any CDK app: tables, functions, both APIs, stream, state machine, bus, logins, alarms.
//   new Stepgate(stack, 'Stepgate', { issuer: { url, audience } })
// The functions come prebuilt with the package; nothing is bundled when your app is synthesized.
import { Construct } from 'constructs';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Attempts } from './attempts.ts';
import { externalIssuer, type TokenIssuer, Users } from './auth.ts';
import { Events } from './events.ts';
import { bindMachine } from './functions/bindings.ts';
import type { FunctionName } from './functions/catalogue.ts';
import { Functions } from './functions/functions.ts';
import type { ServiceFunction } from './functions/service-function.ts';
import { ServiceHttpApi } from './http-api.ts';
import { Observability } from './observability.ts';
import { DEFAULTS, type StepgateProps } from './options.ts';
import { Streams } from './streams.ts';
import { Tables } from './tables.ts';
import { ServiceWebSocketApi } from './websocket-api.ts';

export type {
  Domain,
  ExternalIssuer,
  Limits,
  StepgateProps,
  Throttling,
  UserPoolOptions,
} from './options.ts';

export class Stepgate extends Construct {
  readonly tables: Tables;
  readonly http: ServiceHttpApi;
  readonly websocket: ServiceWebSocketApi;
  readonly functions: Readonly<Record<FunctionName, ServiceFunction>>;
  /** Our events, for rules of your own; and the way in for `agent.work.completed`. */
  readonly bus: EventBus;
  /** The state machine that supplies time. */
  readonly attempts: Attempts;
  readonly issuer: TokenIssuer;
  /** Undefined with an issuer of your own. */
  readonly users: Users | undefined;

  constructor(scope: Construct, id: string, props: StepgateProps = {}) {
    super(scope, id);
    const { removalPolicy, logRetention, stageName, corsOrigins } = { ...DEFAULTS, ...props };
    const { route, routes, websocket } = { ...DEFAULTS, ...props.throttling };

    this.users = props.issuer ? undefined : new Users(this, 'Users', { removalPolicy, ...props.users });
    this.issuer = props.issuer ? externalIssuer(props.issuer) : (this.users as Users); // one of the two is there
    this.tables = new Tables(this, 'Tables', { removalPolicy });
    this.websocket = new ServiceWebSocketApi(this, 'WebSocket', {
      stageName,
      limits: websocket,
      logRetention,
      domain: props.domains?.websocket,
      logRole: props.apiGatewayLogRole ?? true,
    });
    const events = new Events(this, 'Events');
    this.bus = events.bus;

    const all = new Functions(this, 'Functions', {
      tables: this.tables,
      callback: this.websocket.callback,
      bus: this.bus,
      issuer: this.issuer,
      logRetention,
      dist: props.dist,
    }).all;
    this.functions = all;

    this.http = new ServiceHttpApi(this, 'Http', {
      handler: (name) => (name === 'mcp' ? all['mcp-endpoint'] : all[`http-${name}`]),
      issuer: this.issuer,
      stageName,
      corsOrigins,
      limits: { route, routes: { ...DEFAULTS.routes, ...routes } },
      logRetention,
      domain: props.domains?.http,
    });
    this.websocket.addRoutes(all['websocket-authorize'], (name) => all[`websocket-${name}`]);
    this.attempts = new Attempts(this, 'Attempts', { clock: all['attempts-clock'], logRetention });
    all['stream-clock'].bind(bindMachine(this.attempts));
    const consumers = {
      broadcast: all['stream-broadcast'],
      project: all['stream-project'],
      clock: all['stream-clock'],
    };
    const streams = new Streams(this, 'Streams', this.tables.main, consumers);
    events.takeIn(all['events-agent-work']);

    new Observability(this, 'Observability', {
      watched: {
        http: this.http,
        websocket: this.websocket,
        functions: all,
        consumers,
        machine: this.attempts.machine,
        queues: { ...streams.deadLetters, inbound: events.deadLetters },
        tables: { main: this.tables.main, connections: this.tables.connections },
      },
      topic: props.alarmTopic,
      dashboard: props.dashboard ?? true,
    });
  }
}
