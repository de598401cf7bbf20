import { Alarm, ComparisonOperator, type IMetric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias, CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Annotations, CfnOutput, Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import { metricNames } from '../../lib/runtime/metrics.ts';
import { outputs, type Settings } from '../environments.ts';
import type { CatalogApi } from './catalogApi.ts';
import { type CatalogFunction, internalFunction } from './catalogFunction.ts';
import type { CatalogTable } from './catalogTable.ts';
import { reported } from './observedMetrics.ts';

interface GradualDeploymentProps {
  readonly settings: Settings;
  readonly api: CatalogApi;
  readonly table: CatalogTable;
  readonly functions: Readonly<Record<string, CatalogFunction>>;
  readonly steps: NonNullable<Settings['gradualDeployment']>;
  /** True shifts all traffic at once in this deployment, without checking the new versions or alarms. */
  readonly atOnce: boolean;
}

/**
 * Lets CodeDeploy shift each function's traffic to its new version in steps, once the new versions have answered the
 * heartbeat's requests. If an alarm goes off in the meantime, all traffic returns to the old version, the deployment
 * fails, and CloudFormation rolls back the rest of the stack.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, props: GradualDeploymentProps) {
    super(scope, id);
    const { settings, api, table, functions, steps, atOnce } = props;
    const stack = Stack.of(this);
    const all = Object.entries(functions).map(([name, { alias }]) => [name, alias?.version.functionArn]);
    const versions = stack.toJsonString(Object.fromEntries(all));
    new CfnOutput(stack, outputs.versions, { value: versions });
    const check = settings.heartbeatToken === undefined ? undefined : this.#check(settings, functions, versions);
    if (check) new CfnOutput(stack, outputs.checkNewVersions, { value: check.functionName });
    if (!check || atOnce) Annotations.of(this).addInfo('New versions take traffic without being checked first.');
    const shared = {
      application: new LambdaApplication(this, 'application'),
      deploymentConfig: LambdaDeploymentConfig.fromLambdaDeploymentConfigName(
        this,
        'steps',
        `CodeDeployDefault.Lambda${steps}`,
      ),
      role: this.#role(),
      ...(check && { preHook: check }),
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      alarms: this.#alarms(api, table),
    };
    for (const [name, { alias }] of Object.entries(functions)) {
      if (alias === undefined) continue;
      new LambdaDeploymentGroup(this, name, { ...shared, alias });
      // The deployment group alone does not wait for the permissions to run the check.
      if (check?.node.scope) alias.node.addDependency(check.node.scope, shared.role);
      // Without this policy, CloudFormation points the alias directly to the new version.
      if (atOnce) delete (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy;
    }
  }

  /**
   * The function that CodeDeploy asks before it shifts any traffic to a new version.
   * @param versions the ARNs of the new versions of these functions, as JSON by name
   */
  #check(settings: Settings, functions: GradualDeploymentProps['functions'], versions: string): IFunction {
    const scope = new Construct(this, 'check');
    const resources = Object.values(functions).map(({ functionArn }) => `${functionArn}:*`);
    const handler = internalFunction(scope, {
      settings,
      name: 'checkNewVersions',
      memorySize: 256,
      // Enough for all checks and their repetitions, even if each runs into the timeouts of the functions.
      timeout: Duration.minutes(10),
      environment: {
        [variables.versions]: versions,
        ...(settings.identity && { [variables.identity]: JSON.stringify(settings.identity) }),
      },
      statements: [new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources })],
      readsToken: true,
    });
    const acknowledge = (construct: Construct, id: string, reason: string) =>
      Validations.of(construct).acknowledge({ id: `AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`, reason });
    for (const name of Object.keys(functions))
      acknowledge(scope, name, 'A permission for the new version alone would come into force only after it is called.');
    const own = Stack.of(this).getLogicalId(handler.node.defaultChild as CfnFunction);
    acknowledge(this, own, 'The CDK lets CodeDeploy invoke any version of the function, which has none.');
    return handler as IFunction;
  }

  /**
   * What CodeDeploy watches while it shifts traffic: only what callers get. These alarms notify nobody. A share alone
   * would miss a function that few requests are for, and a number alone a version that fails when there are few
   * requests. Batches count from their second failed row on, because one damaged item is not the new version's fault.
   */
  #alarms(api: CatalogApi, table: CatalogTable): Alarm[] {
    const period = Duration.minutes(1);
    const failed = (statistic: string) => api.metricServerError({ period, statistic });
    const latency = (statistic: string) => api.metricLatency({ period, statistic });
    const failedRows = reported(table, metricNames.failedRows, { period, statistic: 'PR(1:)' });
    return [
      this.#alarm('serverErrors', 'More than 1 in 100 requests fail', failed(Stats.AVERAGE), 0.01, 1),
      this.#alarm('failedRequests', 'More than 3 requests a minute fail', failed(Stats.SUM), 3, 1),
      this.#alarm('slowResponses', 'The slowest 1 in 100 requests take over 2 seconds', latency(Stats.p(99)), 2000, 2),
      this.#alarm('slowRequests', 'More than 3 requests a minute take over 2 seconds', latency('TC(2000:)'), 3, 2),
      this.#alarm('failedRows', 'Several rows fail in more than 1 in 100 batches', failedRows, 1, 1),
    ];
  }

  #alarm(id: string, condition: string, metric: IMetric, threshold: number, datapointsToAlarm: number): Alarm {
    return new Alarm(this, id, {
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 3,
      datapointsToAlarm,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${condition}: a deployment in progress is rolled back.`,
    });
  }

  #role(): Role {
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'AWS keeps this policy up to date with what CodeDeploy needs to shift traffic and read alarms.',
    });
    return role;
  }
}
