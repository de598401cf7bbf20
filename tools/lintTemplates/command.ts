import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type EnvironmentName,
  environmentNames,
  type Settings,
  settingsOf,
  stackName,
} from '../../infra/environments.ts';
import { CommandError } from '../cli/commandError.ts';
import { findProgram } from '../cli/findProgram.ts';
import { print } from '../cli/print.ts';
import { runCommand } from '../cli/runCommand.ts';
import { runProgram } from '../cli/runProgram.ts';
import { optionalSettings } from './optionalSettings.ts';

const version = '1.58.0';

const help = `Checks the templates of all environments, and one with all settings, with cfn-lint
${version}, either installed or run with pipx.

  npm run lint-templates`;

/** The CDK declares some dependencies twice (W3005), which is harmless. */
const ignored = ['--ignore-checks', 'W3005'];

const otherTemplates = ['infra/pipelineRole.yaml', 'infra/backupVault.yaml'];

await runCommand(async ([given]) => {
  if (given === '--help') {
    print(help);
    return 0;
  }
  if (given !== undefined) throw new CommandError('npm run lint-templates takes no arguments.', 2);
  const [program, ...args] = linter();
  const folder = mkdtempSync(join(tmpdir(), 'catalog-templates-'));
  try {
    const templates = await synthesiseTo(folder);
    const regions = [...new Set(environmentNames.map((environment) => settingsOf(environment).region))];
    const flags = [...ignored, '--regions', ...regions, '--template', ...templates, ...otherTemplates];
    return await runProgram(program, [...args, ...flags], process.env);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function linter(): [string, ...string[]] {
  if (findProgram('cfn-lint') !== undefined) return ['cfn-lint'];
  if (findProgram('pipx') !== undefined) return ['pipx', 'run', '--spec', `cfn-lint==${version}`, 'cfn-lint'];
  throw new CommandError(`Install cfn-lint first, for example with pip install cfn-lint==${version}.`);
}

/** Skips bundling, which takes the longest and only affects hashes. */
async function synthesiseTo(folder: string): Promise<string[]> {
  const { createApp } = await import('../../infra/catalogApp.ts');
  const synthesise = (environment: EnvironmentName, outdir: string, settings: Partial<Settings> = {}): string => {
    createApp({ environment, bundling: false, outdir, settings }).synth();
    return join(outdir, `${stackName(environment)}.template.json`);
  };
  return [
    ...environmentNames.map((environment) => synthesise(environment, folder)),
    synthesise('prod', join(folder, 'all-settings'), optionalSettings),
  ];
}
