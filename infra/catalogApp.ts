import { App } from 'aws-cdk-lib/core';
import cdkJson from '../cdk.json' with { type: 'json' };
import { CatalogStack } from './catalogStack.ts';
import { environmentName, type Settings, settingsOf, stackName } from './environments.ts';

interface CatalogAppProps {
  /** The environment's name; left out, the CDK's context has it (`-c env=prod`, or else cdk.json). */
  readonly environment?: string;
  /** True: bundle the functions and let the CDK validate the template. False: only the template, which is much faster. */
  readonly bundling: boolean;
  /** Settings that replace those of the environment. */
  readonly settings?: Partial<Settings>;
  /** Where the cloud assembly is written; left out, where the `cdk` program wants it, or a temporary directory. */
  readonly outdir?: string;
}

/**
 * Creates the app with the stack of one environment. Its context includes the feature flags of cdk.json, which only the
 * `cdk` program would read by itself.
 * @returns the app, not synthesised yet
 * @throws SettingsError when the environment or one of its settings is wrong
 */
export function createApp({ environment, bundling, settings, outdir }: CatalogAppProps): App {
  const app = new App({
    analyticsReporting: false,
    builtinCloudFormationValidation: bundling,
    context: { ...cdkJson.context, ...(bundling ? {} : { 'aws:cdk:bundling-stacks': [] }) },
    ...(outdir === undefined ? {} : { outdir }),
  });
  const name = environmentName(environment ?? app.node.tryGetContext('env'));
  new CatalogStack(app, stackName(name), {
    environment: name,
    settings: { ...settingsOf(name), ...settings },
    atOnce: String(app.node.tryGetContext('atOnce')) === 'true',
  });
  return app;
}
