import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import { createApp } from '../../infra/catalogApp.ts';
import { localEnvironment } from '../../infra/cli/localCredentials.ts';
import type { FunctionName } from '../../infra/constructs/functionAccess.ts';
import { readDeployment } from '../../infra/local/template/readDeployment.ts';
import { bundleEntry, bundleFunction } from '../support/bundleFunction.ts';
import type { Job } from './child/job.ts';

/** The functions that the bench measures. The heartbeat is no one's request. */
export const functionNames = [
  'createItem',
  'updateItem',
  'getItem',
  'listItems',
  'getCatalog',
  'authorizer',
] as const satisfies FunctionName[];

export const tableName = 'catalog';
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const sdk = ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', '@aws-sdk/util-dynamodb'];

/** How functions are usually bundled: minified, and otherwise as esbuild does by itself. */
const usual: BuildOptions = { bundle: true, platform: 'node', target: 'node24', minify: true, logLevel: 'error' };

/** Makes bundles in a folder of its own, each once, and removes them in the end. */
export class Artifacts {
  readonly folder = mkdtempSync(join(tmpdir(), 'catalog-bench-'));
  readonly #bundles = new Map<string, Promise<string>>();
  #jobs = 0;

  /** What runs in the child processes. */
  child(): Promise<string> {
    return this.#once('child', (outfile) =>
      build({ ...usual, minify: false, entryPoints: [here('child/child.ts')], outfile }),
    );
  }

  /** A function as the stack bundles it. */
  function(name: FunctionName): Promise<string> {
    return this.#once(name, (file) => bundleFunction(name, file));
  }

  /** A contender beside the store, bundled with the same options. */
  contender(file: string): Promise<string> {
    return this.#once(file.replace(/\W/g, '-'), (outfile) => bundleEntry(here(file), outfile, peerPackages));
  }

  /**
   * The trimmed SDK alone: the document client, and what sends `first`, bundled as the functions are.
   * @param first JavaScript that exports a function of this name, and may import from the floor
   */
  trimmedSdk(name: string, first: string): Promise<string> {
    return this.#once(`trimmed-${name}`, (file) => bundleEntry(this.#source(name, first), file));
  }

  /** The same, bundled as is usual. */
  usualSdk(name: string, first: string): Promise<string> {
    return this.#once(`usual-${name}`, (outfile) =>
      build({ ...usual, entryPoints: [this.#source(name, first)], outfile }),
    );
  }

  /** The stack of libraries that many start from. */
  usualStack(): Promise<string> {
    return this.#once('usual-stack', (outfile) =>
      build({ ...usual, ...peerPackages, entryPoints: [here('peers/usualStack.js')], outfile }),
    );
  }

  /** An empty program. */
  nothing(): Promise<string> {
    return this.#once('nothing', async (file) => writeFileSync(file, ''));
  }

  /** @returns the file that tells a child what to do */
  job(job: Job): string {
    const file = join(this.folder, `job-${this.#jobs++}.json`);
    writeFileSync(file, JSON.stringify(job));
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #source(name: string, first: string): string {
    const file = join(this.folder, `${name}.ts`);
    writeFileSync(file, first.replace('floor.ts', here('contenders/floor.ts')));
    return file;
  }

  #once(name: string, make: (file: string) => Promise<unknown>): Promise<string> {
    const file = join(this.folder, `${name}.js`);
    const made = this.#bundles.get(name) ?? make(file).then(() => file);
    this.#bundles.set(name, made);
    return made;
  }
}

/** Everyone gets the same version of the SDK, whatever the peers would bring. */
const peerPackages: BuildOptions = {
  alias: Object.fromEntries(
    sdk.map((name) => [name, fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url))]),
  ),
};

/** In bytes. */
export const sizeOf = (bundle: string): number => statSync(bundle).size;

/** What Lambda sets in every function, as far as the SDK or the functions read it. */
const lambdaEnvironment = {
  ...localEnvironment,
  AWS_SESSION_TOKEN: 'local',
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: 'catalog',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_LAMBDA_LOG_LEVEL: 'INFO',
  _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0',
};

/** The environment of each function: what Lambda sets, and what the stack's template does. */
export function functionEnvironments() {
  const [stack] = createApp({ environment: 'dev', bundling: false }).synth().stacks;
  const { functions, table } = readDeployment(stack?.template, tableName);
  const environments = functions.map(({ id, environment }) => [id, { ...lambdaEnvironment, ...environment }]);
  return {
    tableSchema: table.schema,
    bare: { ...lambdaEnvironment, CATALOG_TABLE: tableName, BENCH_ACCOUNT: 'acme', BENCH_ITEMS: '1' },
    functions: Object.fromEntries(environments) as Record<FunctionName, Record<string, string>>,
  };
}
