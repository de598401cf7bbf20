import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { Duration, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct, type IConstruct } from 'constructs';
import { variables } from '../../lib/runtime/environment.ts';
import type { Settings } from '../environments.ts';
import type { CatalogFunction } from './catalogFunction.ts';
import { internalFunction } from './internalFunction.ts';

/** The function that CodeDeploy asks before it shifts any traffic to a new version. */
export class NewVersionsCheck extends Construct {
  readonly handler: IFunction;

  /** @param versions the ARNs of the new versions of these functions, as JSON by name */
  constructor(
    scope: Construct,
    id: string,
    settings: Settings,
    functions: Readonly<Record<string, CatalogFunction>>,
    versions: string,
  ) {
    super(scope, id);
    const resources = Object.values(functions).map(({ functionArn }) => `${functionArn}:*`);
    const handler = internalFunction(this, {
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
    this.handler = handler as IFunction;
    const acknowledge = (construct: IConstruct, id: string, reason: string) =>
      Validations.of(construct).acknowledge({ id: `AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`, reason });
    for (const name of Object.keys(functions))
      acknowledge(this, name, 'A permission for the new version alone would come into force only after it is called.');
    const own = Stack.of(this).getLogicalId(handler.node.defaultChild as CfnFunction);
    acknowledge(scope, own, 'The CDK lets CodeDeploy invoke any version of the function, which has none.');
  }
}
