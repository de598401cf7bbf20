import { App } from 'aws-cdk-lib/core';
import cdkJson from '../cdk.json' with { type: 'json' };
import { CatalogStack } from './catalogStack.ts';
import { environmentName, type Settings, settingsOf, stackName, unknownCommit } from './environments.ts';

interface CatalogAppProps {
  /** The environment's name. If omitted, it is read from the CDK context (`-c env=prod`, or cdk.json). */
  readonly environment?: string;
  /** Whether the functions are bundled, and the template is validated against CloudFormation's schemas. Both take long. */
  readonly bundling: boolean;
  /** Settings that override the environment's. */
  readonly settings?: Partial<Settings>;
  /** The deployed commit, which the context can replace (`commit`), so that templates are compared without it. */
  readonly commit?: string;
  /**
   * Output folder of the cloud assembly. Defaults to the folder that the `cdk` program asks for, or a temporary one.
   */
  readonly outdir?: string;
}

/**
 * Creates the app with the stack of one environment. Its context includes the feature flags in cdk.json, which
 * otherwise only the `cdk` program reads.
 * @returns the app, not synthesised yet
 * @throws SettingsError if the environment or one of its settings is invalid
 */
export function createApp({ environment, bundling, settings, commit, outdir }: CatalogAppProps): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: bundling,
    context: { ...cdkJson.context, ...(bundling ? {} : { 'aws:cdk:bundling-stacks': [] }) },
    ...(outdir === undefined ? {} : { outdir }),
  });
  const name = environmentName(environment ?? app.node.tryGetContext('env'));
  const atOnce = String(app.node.tryGetContext('atOnce')) === 'true';
  const deployed = app.node.tryGetContext('commit') ?? commit ?? unknownCommit;
  const valid = settingsOf(name, { ...settingsOf(name), ...settings });
  new CatalogStack(app, stackName(name), name, valid, { atOnce, commit: deployed });
  return app;
}
