import {
  type CfnEventSourceMapping,
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import { itemPrefix } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';
import { CatalogFunction } from './catalogFunction.ts';
import type { CatalogTable } from './catalogTable.ts';
import { recordingAccess } from './functionAccess.ts';

/** Records what changes in the items, from the table's stream, which has each write for 24 hours. */
export class ChangeRecording extends Construct {
  readonly handler: CatalogFunction;

  constructor(scope: Construct, id: string, settings: Settings, table: CatalogTable) {
    super(scope, id);
    const environment = { [variables.changeDays]: String(settings.changeDays) };
    this.handler = new CatalogFunction(scope, 'recordChanges', {
      settings,
      table,
      access: recordingAccess,
      environment,
    });
    table.grantStream(this.handler, 'dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator');
    table.grantTableListStreams(this.handler);
    // A child of the function, also if it invokes the alias: with another logical id, it would be a new mapping, which
    // reads the stream from its beginning.
    const mapping = new EventSourceMapping(this.handler, 'stream', {
      target: this.handler.invoked,
      eventSourceArn: table.tableStreamArn ?? '',
      // From the first write on, also if the function is deployed later.
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter({ dynamodb: { Keys: { sk: { S: FilterRule.beginsWith(itemPrefix) } } } })],
    });
    // A failed batch is retried until it succeeds or has left the stream, and those after it wait. Set explicitly,
    // because a deployed mapping may have other limits.
    Object.assign(mapping.node.defaultChild as CfnEventSourceMapping, {
      functionName: this.handler.alias?.functionArn ?? this.handler.functionName,
      maximumRetryAttempts: -1,
      maximumRecordAgeInSeconds: -1,
      bisectBatchOnFunctionError: false,
    });
    Validations.of(this.handler.role ?? this.handler).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'IAM knows no resources for listing streams.',
    });
  }
}
