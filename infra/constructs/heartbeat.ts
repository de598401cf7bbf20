import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { Duration } from 'aws-cdk-lib/core';
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
    internalFunction(this, {
      settings,
      name: 'heartbeat',
      memorySize: 256,
      timeout: Duration.seconds(50),
      // A rate could begin near the end of a minute, so that some minutes had two and others none.
      schedule: Schedule.cron({ minute: '*' }),
      environment: { [variables.url]: url, [variables.table]: table.tableName },
      statements: [],
      readsToken: true,
    });
  }
}
