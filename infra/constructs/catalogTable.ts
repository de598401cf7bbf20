import {
  AttributeType,
  BillingMode,
  type CfnTable,
  ContributorInsightsMode,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { keyAttributes } from '../../lib/store/database/record.ts';
import { changesTable, nameIndex } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';

/** Permissions for a customer managed key are in the key policy, which the owner of the key maintains. */
const encryption = (scope: Construct, { tableKey }: Settings) =>
  tableKey === undefined
    ? { encryption: TableEncryption.AWS_MANAGED }
    : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: Key.fromKeyArn(scope, 'tableKey', tableKey) };

const shared = (settings: Settings) => ({
  partitionKey: { name: keyAttributes.partition, type: AttributeType.STRING },
  sortKey: { name: keyAttributes.sort, type: AttributeType.STRING },
  timeToLiveAttribute: keyAttributes.expiry,
  billingMode: BillingMode.PAY_PER_REQUEST,
  deletionProtection: settings.keepsData,
  removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
});

/** The table with all records of an environment, except what has changed. That is recorded from its stream. */
export class CatalogTable extends Table {
  readonly changes: Table;

  constructor(scope: Construct, id: string, settings: Settings) {
    const contributorInsightsSpecification = {
      enabled: settings.contributorInsights,
      mode: ContributorInsightsMode.THROTTLED_KEYS,
    };
    const encrypted = encryption(scope, settings);
    super(scope, id, {
      ...shared(settings),
      ...encrypted,
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: settings.recoveryDays,
      },
      contributorInsightsSpecification,
    });
    this.addGlobalSecondaryIndex({
      indexName: nameIndex.name,
      partitionKey: { name: nameIndex.partition, type: AttributeType.STRING },
      sortKey: { name: nameIndex.sort, type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...nameIndex.fields],
      contributorInsightsSpecification,
    });
    const tableName = changesTable(this.tableName);
    // Events have nothing of the earlier image.
    const stream = settings.eventBus === undefined ? {} : { stream: StreamViewType.NEW_IMAGE };
    this.changes = new Table(scope, 'changes', { ...shared(settings), ...encrypted, ...stream, tableName });
    const reason =
      'Restored numbers would be used again, and whoever keeps a copy would miss changes without noticing.';
    Validations.of(this.changes).acknowledge({ id: 'AwsSolutions-DDB3', reason });
    // A generated logical id changes when the code moves, and CloudFormation would then create a new, empty table.
    for (const { node } of [this, this.changes]) (node.defaultChild as CfnTable).overrideLogicalId(node.id);
  }
}
