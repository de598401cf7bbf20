import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { localEnvironment } from '../cli/localCredentials.ts';
import { CommandError } from '../cli/print.ts';
import type { FunctionName } from '../infra/constructs/functionAccess.ts';
import type { Program } from './worker.ts';

export const tableName = 'catalog';
/** The account whose data a stub answers with. */
export const stubAccount = 'acme';
export const project = fileURLToPath(new URL('../', import.meta.url));

/** What Lambda sets in every function, as far as the SDK or the functions read it. */
const lambdaEnvironment = {
  ...localEnvironment,
  AWS_SESSION_TOKEN: 'local',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: 'catalog',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_LAMBDA_LOG_LEVEL: 'INFO',
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0',
};

export type Functions = Readonly<Record<FunctionName, Program>>;

/**
 * Bundles the functions of a commit as its own stack does, which is all that the bench requires of that commit.
 * @param project the folder in which it is checked out, with its dependencies
 * @param assembly where the bundles are written
 */
export function deployedFunctions(project: string, assembly: string): Functions {
  const env = { ...process.env, CDK_OUTDIR: assembly, CDK_CONTEXT_JSON: '{"env":"dev"}' };
  const { status, stderr } = spawnSync(process.execPath, ['infra/app.ts'], { cwd: project, env, encoding: 'utf8' });
  if (status !== 0) throw new CommandError(`The stack in ${project} cannot be synthesised: ${stderr}`);
  const { Resources } = JSON.parse(readFileSync(join(assembly, 'catalog-dev.template.json'), 'utf8'));
  const functions = Object.entries<{ Type: string; Properties: FunctionProperties }>(Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([name, { Properties }]) => [name, programOf(Properties, assembly)]);
  return Object.fromEntries(functions);
}

interface FunctionProperties {
  readonly Code: { readonly S3Key: string };
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
}

const programOf = ({ Code, Environment }: FunctionProperties, assembly: string): Program => ({
  bundle: join(assembly, `asset.${Code.S3Key.replace(/\.zip$/, '')}`, 'index.js'),
  env: {
    ...lambdaEnvironment,
    // The only reference among the values is to the table.
    ...Object.fromEntries(
      Object.entries(Environment.Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : tableName,
      ]),
    ),
  },
});

/** Everyone gets the same version of the SDK, whatever the libraries would bring. */
const alias = Object.fromEntries(
  ['client-dynamodb', 'lib-dynamodb', 'util-dynamodb']
    .map((name) => `@aws-sdk/${name}`)
    .map((name) => [name, join(project, 'node_modules', name)]),
);

/** What every function can leave out of the SDK by options alone. */
const trimmed: BuildOptions = {
  mainFields: ['module', 'main'],
  external: [
    ...['http', 'ini', 'login', 'process', 'sso', 'web-identity'].map((name) => `@aws-sdk/credential-provider-${name}`),
    '@smithy/core/event-streams',
    '@smithy/credential-provider-imds',
  ],
};

/**
 * Bundles what the functions are compared with.
 * @param source its file in this folder
 * @param folder where the bundle is written
 * @param isTrimmed false bundles it as esbuild does by itself
 */
export async function bundled(source: string, folder: string, isTrimmed = true): Promise<Program> {
  const bundle = join(folder, `${source.replace(/\W/g, '-')}-${isTrimmed}.js`);
  const entryPoints = [join(project, 'bench', source)];
  const fixed = { bundle: true, platform: 'node', target: 'node24', minify: true, logLevel: 'error' } as const;
  await build({ ...fixed, alias, ...(isTrimmed ? trimmed : {}), entryPoints, outfile: bundle });
  return { bundle, env: { ...lambdaEnvironment, CATALOG_TABLE: tableName, BENCH_ACCOUNT: stubAccount } };
}
