import { type App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';

/** Makes synthesis fail on every finding of the AwsSolutions rules, unless a construct acknowledges it with a reason. */
export function addRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
