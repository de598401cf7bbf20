import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { itemPrefix } from '../../lib/store/records/keys.ts';
import type { CatalogTable } from './catalogTable.ts';
import { keyAccess } from './functionAccess.ts';

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
