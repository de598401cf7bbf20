import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { type App, type Stack, Validations } from 'aws-cdk-lib/core';
import { expect, it, vi } from 'vitest';
import { createApp } from '../../infra/catalogApp.ts';
import type { EnvironmentName, Settings } from '../../infra/environments.ts';
import { addRules } from '../../infra/rules.ts';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';

const checkedApp = (environment: EnvironmentName, settings: Partial<Settings> = {}): App => {
  const app = createApp({ bundling: false, environment, settings });
  addRules(app);
  return app;
};

/** What the rules found, as synthesis writes it down beside the template. */
const findingsOf = (app: App) =>
  JSON.parse(readFileSync(join(app.outdir, 'validation-report.json'), 'utf8')).pluginReports;

it('no setting has AwsSolutions findings, not even a warning', () => {
  const app = checkedApp('prod', optionalSettings);
  app.synth();
  expect(findingsOf(app)).toEqual([]);
});

it('a resource that violates a rule makes synthesis fail', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const app = checkedApp('dev');
  new Topic(app.node.findChild('catalog-dev') as Stack, 'withoutTls');
  expect(() => app.synth()).toThrow();
  expect(JSON.stringify(findingsOf(app))).toContain('AwsSolutions-SNS3');
});

it('each acknowledged finding has a reason', () => {
  const metadata = checkedApp('dev')
    .node.findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY);
  expect(metadata.length).toBeGreaterThan(0);
  for (const { data } of metadata) expect(JSON.stringify(data)).toMatch(/ .*\./);
});
