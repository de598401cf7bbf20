import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import { itemPrefix } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';
import { CatalogFunction } from './catalogFunction.ts';
import type { CatalogTable } from './catalogTable.ts';
import { recordingAccess } from './functionAccess.ts';

interface ChangeRecordingProps {
  readonly settings: Settings;
  readonly table: CatalogTable;
}

/** Records what changes in the items, from the table's stream, which has each write for 24 hours. */
export class ChangeRecording extends Construct {
  /** Names the batches that could not be recorded. */
  readonly failed: Queue;

  constructor(scope: Construct, id: string, { settings, table }: ChangeRecordingProps) {
    super(scope, id);
    const environment = { [variables.changeDays]: String(settings.changeDays) };
    const handler = new CatalogFunction(scope, 'recordChanges', {
      settings,
      table,
      access: recordingAccess,
      environment,
    });
    this.failed = new Queue(this, 'failed', { enforceSSL: true, retentionPeriod: Duration.days(14) });
    const stream = table.tableStreamArn ?? '';
    const actions = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'];
    handler.addToRolePolicy(new PolicyStatement({ actions, resources: [stream] }));
    handler.addToRolePolicy(new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }));
    handler.addEventSourceMapping('stream', {
      eventSourceArn: stream,
      // From the first write on, also if the function is deployed later.
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter({ dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(itemPrefix) } } } })],
      bisectBatchOnError: true,
      retryAttempts: 10,
      // What is late fails too, so that the alarm also tells of a function that is too slow.
      maxRecordAge: Duration.hours(6),
      onFailure: new SqsDlq(this.failed),
    });
    acknowledge(this.failed, 'SQS3', 'The queue is itself where failed batches go.');
    acknowledge(handler.role ?? handler, 'IAM5[Resource::*]', 'IAM knows no resources for listing streams.');
  }
}

const acknowledge = (construct: IConstruct, rule: string, reason: string) =>
  Validations.of(construct).acknowledge({ id: `AwsSolutions-${rule}`, reason });
