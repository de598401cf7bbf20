import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setLocalCredentials } from '../cli/localCredentials.ts';
import { takeDataFolder } from './dataFolder.ts';
import { type DemoTokens, openDemo } from './demoAccounts.ts';
import { createTable } from './engine/createTable.ts';
import { startEngine } from './engine/startEngine.ts';
import { invokeIn } from './functions/invoke.ts';
import { loadFunctions } from './functions/loadFunctions.ts';
import { startGateway } from './gateway/startGateway.ts';
import type { FunctionDefinition } from './template/deployment.ts';
import { readDeployment } from './template/readDeployment.ts';
import { synthesise } from './template/synthesise.ts';

interface CatalogOptions {
  /** Where the gateway listens; 0: on any free port. */
  readonly port: number;
  /** The table's name; another one for each run against the same DynamoDB. */
  readonly table?: string;
  /** The folder that keeps the data; left out, they are in memory. */
  readonly data?: string | undefined;
  /** Whether the functions run as they are built for AWS, instead of from their sources. */
  readonly bundled?: boolean;
}

/** The whole service, running on this machine. */
export interface RunningCatalog {
  /** The gateway's address, to which the routes' paths are added. */
  readonly url: string;
  readonly table: string;
  /** The DynamoDB's address. */
  readonly dynamodb: string;
  readonly tokens: DemoTokens;
  /** Settles when the engine has ended: without it there is no service. */
  readonly engineEnded: Promise<void>;
  /** Ends the gateway and the engine at once. */
  close(): Promise<void>;
}

/**
 * Starts the service: the engine, the table of the stack's template, the demo accounts, and the gateway before the
 * functions, which run in this process and with its environment variables.
 * @throws an error with one sentence for a person, when something outside of the project hinders it; then nothing runs on
 */
export async function startCatalog({
  port,
  table = 'catalog',
  data,
  bundled = false,
}: CatalogOptions): Promise<RunningCatalog> {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    setLocalCredentials();
    if (data !== undefined) closers.push(takeDataFolder(data));
    const engine = await startEngine(data);
    closers.push(engine.stop);
    const { api, handlers } = await deploy({ endpoint: engine.endpoint, table, bundled });
    const tokens = await openDemo({ dynamodb: engine.endpoint, table, ...tokensIn(data) });
    // The stage's limit guards an account's capacity; here it would only be in the way of tests that send all at once.
    const gateway = await startGateway({ ...api, throttle: undefined }, invokeIn(handlers), port);
    closers.push(gateway.close);
    return { url: gateway.url, table, dynamodb: engine.endpoint, tokens, engineEnded: engine.ended, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Does what a deployment would: creates the table of the stack's template, and loads the functions. */
async function deploy({ endpoint, table, bundled }: { endpoint: string; table: string; bundled: boolean }) {
  const assembly = synthesise(bundled);
  try {
    const deployment = readDeployment(assembly.template, table);
    await createTable(endpoint, table, deployment.table);
    const moduleOf = bundled ? builtIn(assembly.directory) : sourceOf;
    return { api: deployment.api, handlers: await loadFunctions(deployment.functions, endpoint, moduleOf) };
  } finally {
    assembly.remove();
  }
}

const tokensIn = (data: string | undefined) => (data === undefined ? {} : { tokensFile: join(data, 'tokens.json') });

const sourceOf = ({ id }: FunctionDefinition): string => new URL(`../../functions/${id}.ts`, import.meta.url).href;

const builtIn =
  (directory: string) =>
  ({ asset, module }: FunctionDefinition): string =>
    pathToFileURL(join(directory, asset, `${module}.js`)).href;
