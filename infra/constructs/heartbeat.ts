import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import type { Settings } from '../environments.ts';
import { internalFunction } from './internalFunction.ts';

interface HeartbeatProps {
  readonly settings: Settings;
  /** The API's public address. */
  readonly url: string;
  /** Its name distinguishes the environments' metrics. The heartbeat itself has no access to the table. */
  readonly table: Table;
}

/**
 * Calls the API from outside every minute, so that a broken domain, certificate or authorizer is noticed even without
 * traffic. A function is enough for that: a CloudWatch Synthetics canary would need a bucket and a browser runtime for
 * a few requests.
 */
export class Heartbeat extends Construct {
  constructor(scope: Construct, id: string, { settings, url, table }: HeartbeatProps) {
    super(scope, id);
    const token = tokenAccess(this, settings);
    internalFunction(this, {
      settings,
      name: 'heartbeat',
      memorySize: 256,
      timeout: Duration.seconds(50),
      schedule: Schedule.rate(Duration.minutes(1)),
      environment: { [variables.url]: url, [variables.table]: table.tableName, ...token.environment },
      statements: token.statements,
    });
  }
}

/** What a function needs to read the heartbeat's token. */
export const tokenAccess = (scope: Construct, { heartbeatToken: name }: Settings) =>
  name === undefined
    ? { environment: {}, statements: [] }
    : {
        environment: { [variables.heartbeatToken]: name },
        statements: [
          new PolicyStatement({
            actions: ['ssm:GetParameter'],
            resources: [
              Stack.of(scope).formatArn({ service: 'ssm', resource: 'parameter', resourceName: name.slice(1) }),
            ],
          }),
        ],
      };
