import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Settings } from '../environments.ts';

/** A log group with the environment's retention. */
export class RetainedLogs extends LogGroup {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      retention: settings.logDays,
      removalPolicy: settings.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }
}
