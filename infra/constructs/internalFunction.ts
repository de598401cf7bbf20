import { Rule, type Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import type { Settings } from '../environments.ts';
import { bundlingWithSdk, commonProps } from './bundling.ts';
import { RetainedLogs } from './retainedLogs.ts';

interface InternalFunctionProps extends Pick<Required<NodejsFunctionProps>, 'environment' | 'memorySize' | 'timeout'> {
  readonly settings: Settings;
  /** The name of its entry file. */
  readonly name: string;
  /** When it runs by itself. A run that fails is not repeated, because the next one follows. */
  readonly schedule?: Schedule;
  /** What it may do besides writing its log. */
  readonly statements: readonly PolicyStatement[];
  /** Whether it reads the heartbeat's token, if the settings name its parameter. */
  readonly readsToken?: boolean;
}

/** A function that the API does not call, with its log and its role. It is the only function of its construct. */
export function internalFunction(
  scope: Construct,
  { settings, name, schedule, environment, statements, readsToken = false, ...size }: InternalFunctionProps,
): NodejsFunction {
  const logGroup = new RetainedLogs(scope, 'logs', settings);
  const role = new Role(scope, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  logGroup.grantWrite(role);
  for (const statement of statements) role.addToPolicy(statement);
  const handler = new NodejsFunction(scope, 'function', {
    ...commonProps(scope, name),
    bundling: bundlingWithSdk,
    ...size,
    role,
    logGroup,
    environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' },
  });
  // Its logical id is not its name.
  (handler.node.defaultChild as CfnFunction).addMetadata('SamResourceId', name);
  const { heartbeatToken } = settings;
  if (readsToken && heartbeatToken !== undefined) {
    handler.addEnvironment(variables.heartbeatToken, heartbeatToken);
    const resource = { service: 'ssm', resource: 'parameter', resourceName: heartbeatToken.slice(1) };
    const resources = [Stack.of(scope).formatArn(resource)];
    role.addToPolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources }));
  }
  if (schedule !== undefined)
    new Rule(scope, 'schedule', { schedule, targets: [new LambdaFunction(handler, { retryAttempts: 0 })] });
  return handler;
}
