// The two tables. Their shape is the one of shared/store/tables.ts; a test compares them.
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { INDEX, PK, SK, TTL } from '../shared/names.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

export class Tables extends Construct {
  /** Instances with their logs, listings, facts, definitions. */
  readonly main: Table;
  /** WebSocket connections and their subscriptions. */
  readonly connections: Table;

  constructor(scope: Construct, id: string, { removalPolicy }: { readonly removalPolicy: RemovalPolicy }) {
    super(scope, id);
    const common = {
      partitionKey: text(PK),
      sortKey: text(SK),
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      timeToLiveAttribute: TTL,
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    };
    this.main = new Table(this, 'Main', { ...common, stream: StreamViewType.NEW_IMAGE });
    this.main.addLocalSecondaryIndex({
      indexName: INDEX.key.name,
      sortKey: text(INDEX.key.sk),
      projectionType: ProjectionType.KEYS_ONLY,
    });
    for (const { name, pk, sk } of [INDEX.owner, INDEX.workflow, INDEX.session, INDEX.role])
      this.main.addGlobalSecondaryIndex({
        indexName: name,
        partitionKey: text(pk),
        sortKey: text(sk),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    this.connections = new Table(this, 'Connections', common);
  }
}
