// All functions, each bound to what it needs and to nothing else.
import { Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENV } from '../../shared/names.ts';
import type { TokenIssuer } from '../auth.ts';
import type { Tables } from '../tables.ts';
import { bindBus, bindCallback, bindDefinitions, bindIssuer, bindTable, type Callback } from './bindings.ts';
import { FUNCTIONS, type FunctionName } from './catalogue.ts';
import { NEEDS } from './needs.ts';
import { prebuilt } from './prebuilt.ts';
import { ServiceFunction } from './service-function.ts';

export interface Surroundings {
  readonly tables: Tables;
  readonly callback: Callback;
  readonly bus: EventBus;
  readonly issuer: TokenIssuer;
  readonly logRetention: RetentionDays;
  readonly dist: string | undefined;
}

export class Functions extends Construct {
  readonly all: Readonly<Record<FunctionName, ServiceFunction>>;

  constructor(scope: Construct, id: string, surroundings: Surroundings) {
    super(scope, id);
    const made = FUNCTIONS.map(({ bundle }) => [bundle, this.create(bundle, surroundings)] as const);
    this.all = Object.fromEntries(made) as Record<FunctionName, ServiceFunction>; // one for each name in the catalogue
  }

  private create(name: FunctionName, around: Surroundings): ServiceFunction {
    const { description, memory, timeout, ...needs } = NEEDS[name];
    const { logRetention, tables, callback, bus, issuer, dist } = around;
    const made = new ServiceFunction(this, name, {
      description: `Stepgate: ${description}`,
      code: prebuilt(dist, name),
      memory,
      timeout,
      logRetention,
    });
    if (needs.table) made.bind(bindTable(ENV.table, tables.main, needs.table));
    if (needs.connections) made.bind(bindTable(ENV.connections, tables.connections, needs.connections));
    if (needs.callback) made.bind(bindCallback(Stack.of(this), callback, needs.callback));
    if (needs.bus) made.bind(bindBus(bus));
    if (needs.issuer) made.bind(bindIssuer(issuer));
    if (needs.definitions) made.bind(bindDefinitions());
    return made;
  }
}
