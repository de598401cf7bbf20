import { Rule, type Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Duration } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import type { Settings } from '../environments.ts';
import { bundlingWithSdk, sources } from './bundling.ts';
import { RetainedLogs } from './retainedLogs.ts';

interface InternalFunctionProps {
  readonly settings: Settings;
  /** The name of its file in functions/. */
  readonly name: string;
  readonly memorySize: number;
  readonly timeout: Duration;
  /** When it runs by itself. A run that fails is not repeated, because the next one follows. */
  readonly schedule?: Schedule;
  readonly environment: Readonly<Record<string, string>>;
  /** What it may do besides writing its log. */
  readonly statements: readonly PolicyStatement[];
}

/** A function that the API does not call, with its log and its role. It is the only function of its construct. */
export function internalFunction(
  scope: Construct,
  { settings, name, memorySize, timeout, schedule, environment, statements }: InternalFunctionProps,
): NodejsFunction {
  const logGroup = new RetainedLogs(scope, 'logs', settings);
  const role = new Role(scope, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const statement of statements) role.addToPolicy(statement);
  const handler = new NodejsFunction(scope, 'function', {
    ...sources(name),
    bundling: bundlingWithSdk,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    memorySize,
    timeout,
    role,
    logGroup,
    loggingFormat: LoggingFormat.JSON,
    environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' },
    awsSdkConnectionReuse: false,
  });
  if (schedule !== undefined)
    new Rule(scope, 'schedule', { schedule, targets: [new LambdaFunction(handler, { retryAttempts: 0 })] });
  return handler;
}
