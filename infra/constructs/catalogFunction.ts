import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type Alias, type CfnFunction, type IFunction, SystemLogLevel } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { aliases, type Settings } from '../environments.ts';
import { bundling, bundlingWithSdk, commonProps } from './bundling.ts';
import type { CatalogTable } from './catalogTable.ts';
import { type FunctionName, keyAccess, type TableAccess } from './functionAccess.ts';
import { RetainedLogs } from './retainedLogs.ts';

interface CatalogFunctionProps {
  readonly settings: Settings;
  readonly table: CatalogTable;
  readonly access: readonly TableAccess[];
  /** Environment variables for this function only. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
}

export type CatalogFunctions = Readonly<Record<FunctionName, CatalogFunction>>;

/** A function of the service. Its id is also its logical id and the name of its entry file. */
export class CatalogFunction extends NodejsFunction {
  /** Points to the published version. Undefined if deployments are not gradual, because there are no versions then. */
  readonly alias: Alias | undefined;

  constructor(
    scope: Construct,
    id: FunctionName | 'applyAccount' | 'recordChanges',
    { settings, table, access, environment }: CatalogFunctionProps,
  ) {
    const logGroup = new RetainedLogs(scope, `${id}Logs`, settings);
    super(scope, id, {
      ...commonProps(scope, id),
      bundling,
      memorySize: settings.memory,
      timeout: Duration.millis(timeouts.function),
      ...(settings.reservedConcurrency === undefined
        ? {}
        : { reservedConcurrentExecutions: settings.reservedConcurrency }),
      role: leastRole(scope, id, table, access, logGroup),
      logGroup,
      // Without Lambda's own lines about invocations that succeed, which are 40 % of a log.
      systemLogLevelV2: SystemLogLevel.WARN,
      environment: {
        [variables.table]: table.tableName,
        [variables.corsOrigins]: settings.corsOrigins.join(),
        // Empty means the region's own DynamoDB. It must be declared, because `sam local invoke` can only set declared
        // variables.
        [variables.dynamodb]: '',
        ...environment,
      },
      // A rollback returns to earlier versions. That of a failed deployment must go: while it existed, Lambda would not
      // publish the same code again.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    (this.node.defaultChild as CfnFunction).overrideLogicalId(id);
    this.alias = settings.gradualDeployment === undefined ? undefined : this.addAlias(aliases.live);
  }

  /** The function or alias that the API invokes. */
  get invoked(): IFunction {
    // The CDK's types do not hold under exactOptionalPropertyTypes: an alias may have no role.
    return (this.alias ?? this) as IFunction;
  }
}

/** A least-privilege role: access to the function's records and its log. */
function leastRole(
  scope: Construct,
  id: string,
  table: CatalogTable,
  access: CatalogFunctionProps['access'],
  logGroup: ILogGroup,
): Role {
  const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  for (const statement of access.flatMap((one) => one(table))) role.addToPolicy(statement);
  if (table.encryptionKey !== undefined) role.addToPolicy(keyAccess(table.encryptionKey));
  logGroup.grantWrite(role);
  return role;
}

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
