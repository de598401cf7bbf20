import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import type { Settings } from '../environments.ts';
import { bundling, sources } from './bundling.ts';
import { RetainedLogs } from './retainedLogs.ts';

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
    const logGroup = new RetainedLogs(this, 'logs', settings);
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    const handler = new NodejsFunction(this, 'function', {
      ...sources('heartbeat'),
      bundling,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.seconds(50),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      environment: { [variables.url]: url, [variables.table]: table.tableName, NODE_OPTIONS: '--enable-source-maps' },
      awsSdkConnectionReuse: false,
    });
    // A failed heartbeat is not retried, because the next one follows in a minute.
    const target = new LambdaFunction(handler, { retryAttempts: 0 });
    new Rule(this, 'schedule', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
  }
}
