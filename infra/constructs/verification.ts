import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Duration } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import type { Settings } from '../environments.ts';
import { keyAccess } from './functionAccess.ts';
import { internalFunction } from './internalFunction.ts';

interface VerificationProps {
  readonly settings: Settings;
  readonly table: Table;
}

/** Verifies the table every day, reading only, because a violated invariant otherwise shows when a caller meets it. */
export class Verification extends Construct {
  constructor(scope: Construct, id: string, { settings, table }: VerificationProps) {
    super(scope, id);
    const { tableArn, tableName, encryptionKey } = table;
    const actions = ['dynamodb:Scan', 'dynamodb:GetItem', 'dynamodb:Query'];
    internalFunction(this, {
      settings,
      name: 'verifyTable',
      // For what it remembers of each record.
      memorySize: 1024,
      timeout: Duration.minutes(15),
      schedule: Schedule.cron({ hour: '4', minute: '0' }),
      environment: { [variables.table]: tableName },
      statements: [
        new PolicyStatement({ actions, resources: [tableArn] }),
        ...(encryptionKey === undefined ? [] : [keyAccess(encryptionKey)]),
      ],
    });
  }
}
