import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { CfnAlias } from 'aws-cdk-lib/aws-lambda';
import { Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Settings } from '../environments.ts';
import { deploymentMetrics } from './deploymentMetrics.ts';
import type { MonitoredResources } from './observedMetrics.ts';

interface GradualDeploymentProps extends MonitoredResources {
  /** The steps in which traffic shifts to a new version. */
  readonly steps: NonNullable<Settings['gradualDeployment']>;
  /** True shifts all traffic at once in this deployment, without checking alarms. */
  readonly atOnce: boolean;
}

/**
 * Lets CodeDeploy shift each function's traffic to its new version in steps. If an alarm goes off in the meantime, all
 * traffic returns to the old version, the deployment fails, and CloudFormation rolls back the rest of the stack.
 */
export class GradualDeployment extends Construct {
  constructor(scope: Construct, id: string, { steps, atOnce, ...observed }: GradualDeploymentProps) {
    super(scope, id);
    const metrics = deploymentMetrics(observed);
    const apiAlarm = this.#alarm('serverErrors', 'More than 1 in 100 requests fail', metrics.serverErrorRate, 0.01, 1);
    const shared = {
      application: new LambdaApplication(this, 'application'),
      deploymentConfig: LambdaDeploymentConfig.fromLambdaDeploymentConfigName(
        this,
        'steps',
        `CodeDeployDefault.Lambda${steps}`,
      ),
      role: this.#role(),
      autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
    };
    for (const { name, alias, errorRate, duration } of metrics.functions) {
      const alarms = [
        apiAlarm,
        this.#alarm(`${name}Errors`, `More than 1 in 100 invocations of ${name} fail`, errorRate, 0.01, 1),
        this.#alarm(`${name}Duration`, `The slowest invocations of ${name} take over 2 seconds`, duration, 2000, 2),
      ];
      new LambdaDeploymentGroup(this, name, { ...shared, alias, alarms });
      // Without this policy, CloudFormation points the alias directly to the new version.
      if (atOnce) delete (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy;
    }
  }

  /** These alarms notify nobody. CodeDeploy reads them while it shifts traffic. */
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
