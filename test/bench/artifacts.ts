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

export const tableName = 'catalog';
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Everyone gets the same version of the SDK, whatever the peers would bring. */
const sameSdk = Object.fromEntries(
  ['client-dynamodb', 'lib-dynamodb', 'util-dynamodb']
    .map((name) => `@aws-sdk/${name}`)
    .map((name) => [name, here(`../../node_modules/${name}`)]),
);

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

  /** The store alone, bundled as the functions are. */
  store(): Promise<string> {
    return this.#once('store', (file) => bundleEntry(here('contenders/store.ts'), file));
  }

  /** The hand-written floor over the client of the functions, bundled as they are. */
  floor(): Promise<string> {
    const define = { 'process.env.BENCH_CLIENT': '"service"' };
    return this.#once('floor', (file) => bundleEntry(here('contenders/floor.ts'), file, { define }));
  }

  /** A contender beside it, bundled with the same options over the trimmed SDK. */
  contender(file: string): Promise<string> {
    return this.#once(file.replace(/\W/g, '-'), (outfile) => bundleEntry(here(file), outfile, trimmed));
  }

  /**
   * The trimmed SDK alone: the document client, and what sends `first`, bundled as the functions are.
   * @param first JavaScript that exports a function of this name, and may import from the floor
   */
  trimmedSdk(name: string, first: string): Promise<string> {
    return this.#once(`trimmed-${name}`, (file) => bundleEntry(this.#source(name, first), file, trimmed));
  }

  /** The same, bundled as is usual. */
  usualSdk(name: string, first: string): Promise<string> {
    return this.#once(`usual-${name}`, (outfile) =>
      build({ ...usual, define: trimmed.define ?? {}, entryPoints: [this.#source(name, first)], outfile }),
    );
  }

  /** The stack of libraries that many start from. */
  usualStack(): Promise<string> {
    return this.#once('usual-stack', (outfile) =>
      build({ ...usual, alias: sameSdk, entryPoints: [here('peers/usualStack.js')], outfile }),
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

/**
 * What anybody can leave out of the SDK in Lambda, whatever sends through it: modules that it only imports dynamically and
 * never needs there. The functions' own stand-ins do not fit others.
 */
const trimmed: Pick<BuildOptions, 'alias' | 'define' | 'external'> = {
  define: { 'process.env.BENCH_CLIENT': '"sdk"' },
  external: [
    ...['http', 'ini', 'login', 'process', 'sso', 'web-identity'].map((name) => `@aws-sdk/credential-provider-${name}`),
    '@smithy/core/event-streams',
    '@smithy/credential-provider-imds',
  ],
  alias: { ...sameSdk, 'mnemonist/lru-cache': here('contenders/noLruCache.ts') },
};

/** In bytes. */
export const sizeOf = (bundle: string): number => statSync(bundle).size;

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
