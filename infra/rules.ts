import { type App, Validations } from 'aws-cdk-lib/core';
import { AwsSolutionsChecks } from 'cdk-nag';

/**
 * Lets synthesis fail on what the AwsSolutions rules find and no construct acknowledges with its reason.
 * @param app whose stacks are checked
 */
export function addRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
