import { App } from 'aws-cdk-lib/core';
import cdkJson from '../cdk.json' with { type: 'json' };
import { CatalogStack } from './catalogStack.ts';
import { environmentName, settingsOf, stackName } from './environments.ts';

interface CatalogAppProps {
  /** Name of the environment; left out, the CDK's context names it (`-c env=prod`, else cdk.json). */
  readonly environment?: string;
  /** True: with what is deployed, and validated by the CDK. False: the template alone, in a moment. */
  readonly bundling: boolean;
  /** Where the assembly is written; left out, where the CDK's command wants it, or a temporary directory. */
  readonly outdir?: string;
}

/**
 * Builds the app with the one stack of an environment. The feature flags come from cdk.json, which the CDK reads by
 * itself only where its command starts the app.
 * @returns the app, yet to be synthesised
 * @throws SettingsError when the environment or one of its settings is wrong
 */
export function createApp({ environment, bundling, outdir }: CatalogAppProps): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: bundling,
    context: { ...cdkJson.context, ...(bundling ? {} : { 'aws:cdk:bundling-stacks': [] }) },
    ...(outdir === undefined ? {} : { outdir }),
  });
  const name = environmentName(environment ?? app.node.tryGetContext('env'));
  new CatalogStack(app, stackName(name), { environment: name, settings: settingsOf(name) });
  return app;
}
