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
  /** The API's address, as callers know it. */
  readonly url: string;
  /** Its name tells the metrics of environments apart; the heartbeat itself cannot reach the table. */
  readonly table: Table;
}

/**
 * Asks the API every minute, from outside, so that a dead domain, certificate or authorizer is noticed when nobody calls. A
 * function is enough for that: a canary of CloudWatch would need a bucket and a browser's runtime for four requests.
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
    // A heartbeat that failed is not repeated, since the next one comes in a minute.
    const target = new LambdaFunction(handler, { retryAttempts: 0 });
    new Rule(this, 'schedule', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
  }
}
