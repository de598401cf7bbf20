import {
  AttributeType,
  BillingMode,
  type CfnTable,
  ContributorInsightsMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { keyAttributes } from '../../lib/store/database/record.ts';
import { nameIndex } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';

/** Permissions for a customer managed key are in the key policy, which the owner of the key maintains. */
const encryption = (scope: Construct, { tableKey }: Settings) =>
  tableKey === undefined
    ? { encryption: TableEncryption.AWS_MANAGED }
    : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: Key.fromKeyArn(scope, 'tableKey', tableKey) };

/** The table with all records of an environment. */
export class CatalogTable extends Table {
  constructor(scope: Construct, id: string, settings: Settings) {
    const contributorInsightsSpecification = {
      enabled: settings.contributorInsights,
      mode: ContributorInsightsMode.THROTTLED_KEYS,
    };
    super(scope, id, {
      partitionKey: { name: keyAttributes.partition, type: AttributeType.STRING },
      sortKey: { name: keyAttributes.sort, type: AttributeType.STRING },
      timeToLiveAttribute: keyAttributes.expiry,
      billingMode: BillingMode.PAY_PER_REQUEST,
      ...encryption(scope, settings),
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: settings.recoveryDays,
      },
      contributorInsightsSpecification,
      deletionProtection: settings.keepsData,
      removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY,
    });
    this.addGlobalSecondaryIndex({
      indexName: nameIndex.name,
      partitionKey: { name: nameIndex.partition, type: AttributeType.STRING },
      sortKey: { name: nameIndex.sort, type: AttributeType.STRING },
      projectionType: ProjectionType.INCLUDE,
      nonKeyAttributes: [...nameIndex.fields],
      contributorInsightsSpecification,
    });
    // A generated logical id changes when the code moves, and CloudFormation would then create a new, empty table.
    (this.node.defaultChild as CfnTable).overrideLogicalId(id);
  }
}
