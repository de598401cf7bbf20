import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  type CfnEventSourceMapping,
  EventSourceMapping,
  FilterCriteria,
  FilterRule,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import { itemPrefix } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';
import { CatalogFunction } from './catalogFunction.ts';
import type { CatalogTable } from './catalogTable.ts';
import { keyAccess, recordingAccess } from './functionAccess.ts';

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

/** The members of an event, each with its attribute in a recorded change. All arrive as texts. */
const members = { account: 'account.S', number: 'number.N', item: 'item.N', kind: 'kind.S', revision: 'revision.N' };

/** Each change is recorded twice, and its account has a counter, which is no change. Earlier changes have no account. */
const numbered = {
  eventName: ['INSERT'],
  dynamodb: {
    Keys: { sk: { S: [{ 'anything-but': { prefix: itemPrefix } }] } },
    NewImage: { account: { S: [{ exists: true }] } },
  },
};

/** Notifies other services of each recorded change, by a pipe from the stream of the changes and without code of ours. */
export class ChangeEvents extends Construct {
  /** @param eventBus the ARN of a bus */
  constructor(scope: Construct, id: string, { changes }: CatalogTable, eventBus: string) {
    super(scope, id);
    const source = changes.tableStreamArn ?? '';
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('pipes.amazonaws.com') });
    const reading = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
      (name) => `dynamodb:${name}`,
    );
    role.addToPolicy(new PolicyStatement({ actions: reading, resources: [source] }));
    role.addToPolicy(new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBus] }));
    if (changes.encryptionKey !== undefined) role.addToPolicy(keyAccess(changes.encryptionKey));
    const pipe = new CfnPipe(this, 'pipe', {
      // Metrics identify it by its name.
      name: Stack.of(this).stackName,
      roleArn: role.roleArn,
      source,
      sourceParameters: {
        // A failed event is retried until it succeeds or has left the stream, after 24 hours.
        dynamoDbStreamParameters: { startingPosition: 'TRIM_HORIZON', batchSize: 10 },
        filterCriteria: { filters: [{ pattern: JSON.stringify(numbered) }] },
      },
      target: eventBus,
      targetParameters: {
        eventBridgeEventBusParameters: { source: 'catalog', detailType: 'Item changed' },
        inputTemplate: JSON.stringify(
          Object.fromEntries(Object.entries(members).map(([name, path]) => [name, `<$.dynamodb.NewImage.${path}>`])),
        ),
      },
    });
    pipe.node.addDependency(role);
  }
}
