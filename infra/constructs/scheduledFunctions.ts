import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import type { Settings } from '../environments.ts';
import { internalFunction } from './catalogFunction.ts';
import { keyAccess } from './functionAccess.ts';

/** Whether `npm run sam` runs functions on this machine, where it can be told to run these, too. */
const isForSam = (scope: Construct): boolean => scope.node.tryGetContext('architecture') !== undefined;

/** Where `npm start` listens, seen from a container. */
const localUrl = 'http://host.docker.internal:3000/';

/**
 * Calls the API from outside every minute, so that a broken domain, certificate or authorizer is noticed even without
 * traffic. It has no access to the table, whose name distinguishes the environments' metrics.
 * @param url the API's public address
 * @returns undefined if the settings have none
 */
export function addHeartbeat(scope: Construct, settings: Settings, table: Table, url: string): Construct | undefined {
  if (settings.heartbeatToken === undefined && !isForSam(scope)) return undefined;
  const heartbeat = new Construct(scope, 'heartbeat');
  internalFunction(heartbeat, {
    settings,
    name: 'heartbeat',
    memorySize: 256,
    timeout: Duration.seconds(50),
    // A rate could begin near the end of a minute, so that some minutes had two and others none.
    schedule: Schedule.cron({ minute: '*' }),
    environment: {
      [variables.url]: isForSam(scope) ? localUrl : url,
      [variables.table]: table.tableName,
      [variables.corsOrigins]: settings.corsOrigins.join(),
    },
    statements: [],
    readsToken: true,
  });
  return heartbeat;
}

/** Verifies the table every day, reading only, because a violated invariant otherwise shows when a caller meets it. */
export function addVerification(scope: Construct, settings: Settings, table: Table): void {
  if (!settings.verification && !isForSam(scope)) return;
  const { tableArn, tableName, encryptionKey } = table;
  const actions = ['dynamodb:DescribeTable', 'dynamodb:Scan', 'dynamodb:GetItem', 'dynamodb:Query'];
  const reading = new PolicyStatement({ actions, resources: [tableArn] });
  internalFunction(new Construct(scope, 'verification'), {
    settings,
    name: 'verifyTable',
    // A whole CPU, which a large table needs, as it does the memory.
    memorySize: 1769,
    timeout: Duration.minutes(15),
    schedule: Schedule.cron({ hour: '4', minute: '0' }),
    // Empty on AWS. It must be declared, because `sam local invoke` can only set declared variables.
    environment: { [variables.table]: tableName, [variables.dynamodb]: '' },
    statements: [reading, ...(encryptionKey === undefined ? [] : [keyAccess(encryptionKey)])],
  });
}
