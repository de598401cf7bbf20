import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LocalService } from '../cli/localService.ts';
import { entryOf } from '../infra/constructs/bundling.ts';
import type { IdentitySettings } from '../lib/identity/identitySettings.ts';
import { lockDataFolder } from './dataFolder.ts';
import { openDemoAccounts } from './demoAccounts.ts';
import { createTable } from './engine/createTable.ts';
import { dockerBridge, startEngineProxy } from './engine/engineProxy.ts';
import { readStream } from './engine/readStream.ts';
import { startEngine } from './engine/startEngine.ts';
import { type Invoke, invokeInProcess, loadFunctions } from './functions/invoke.ts';
import { startRoleProxy } from './functions/roleProxy.ts';
import { type CompletedRequest, startGateway } from './gateway/startGateway.ts';
import { requireKeys } from './localIdentity.ts';
import { servePages } from './pages/servePages.ts';
import { readDeployment } from './template/readDeployment.ts';
import type { FunctionDefinition } from './template/readFunctions.ts';
import { synthesise } from './template/synthesise.ts';

interface ServiceOptions {
  /** The gateway's port. 0 means any free port. */
  readonly port: number;
  /** The table's name. Services that share an engine need different names. */
  readonly table?: string;
  /** The data folder. If omitted, data is kept until the service stops. */
  readonly data?: string | undefined;
  /** True runs the bundles that would be deployed, instead of the sources. */
  readonly bundled?: boolean | undefined;
  /** The identity provider whose access tokens are accepted besides the demo tokens. None by default, also not `dev`'s. */
  readonly identity?: IdentitySettings | undefined;
  /** Called for each response of the gateway. */
  readonly log?: ((answered: CompletedRequest) => void) | undefined;
  /** Called before each call of a function. */
  readonly onEvent?: (functionName: string, event: unknown) => void;
}

export interface RunningService extends LocalService {
  /** Resolves when the engine has ended. The service cannot continue without it. */
  readonly engineEnded: Promise<void>;
  /** Stops the gateway, which aborts requests and waits for the functions under way, and then the engine. */
  close(): Promise<void>;
}

/**
 * Starts the whole service: the engine, the stack's table, the demo accounts and the gateway. The functions run in this
 * process and share its environment variables.
 * @throws CommandError if something outside the project prevents it. What was already started is stopped again
 */
export async function startService({
  port,
  table = 'catalog',
  data,
  bundled = false,
  identity,
  log,
  onEvent,
}: ServiceOptions): Promise<RunningService> {
  const closers: (() => unknown)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    if (identity !== undefined) await requireKeys(identity);
    if (data !== undefined) closers.push(lockDataFolder(data));
    const engine = await startEngine(data);
    closers.push(engine.stop);
    const { api, streams, handlers, roleProxy } = await deploy(engine.endpoint, table, bundled, identity);
    closers.push(roleProxy.close);
    const call = invokeInProcess(handlers);
    const invoke: Invoke = async (definition, event) => {
      onEvent?.(definition.id, event);
      return call(definition, event);
    };
    for (const { table: written, function: reader } of streams)
      closers.push(readStream(engine, written, (event) => invoke(reader, event)));
    const tokensFile = data === undefined ? undefined : join(data, 'tokens.json');
    const tokens = await openDemoAccounts({ dynamodb: engine.endpoint, table, tokensFile });
    const options = { log, servePages: servePages(tokens.editor) };
    const gateway = await startGateway(api, invoke, port, options);
    closers.push(gateway.close);
    // For the heartbeat in a container, which gets none of the pages.
    const bridge = dockerBridge();
    const { port: own } = new URL(gateway.url);
    if (bridge !== undefined) closers.push((await startGateway(api, invoke, Number(own), { log }, bridge)).close);
    // The functions have an address of their own. Other programs get this one.
    const proxy = await startEngineProxy(engine);
    closers.push(proxy.close);
    return { url: gateway.url, table, dynamodb: proxy.url, tokens, engineEnded: engine.ended, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Does what a deployment would: creates the stack's tables and loads the functions. */
async function deploy(endpoint: string, table: string, bundled: boolean, identity: IdentitySettings | undefined) {
  const assembly = synthesise(bundled, { identity });
  try {
    const deployment = readDeployment(assembly.template, table);
    for (const [name, definition] of deployment.tables) await createTable(endpoint, name, definition);
    const moduleOf = bundled ? bundleIn(assembly.directory) : sourceOf;
    const { api, streams, functions } = deployment;
    const roleProxy = await startRoleProxy(endpoint, functions);
    return { api, streams, roleProxy, handlers: await loadFunctions(functions, roleProxy.url, moduleOf) };
  } finally {
    assembly.remove();
  }
}

const sourceOf = ({ id }: FunctionDefinition): string => pathToFileURL(entryOf(id)).href;

const bundleIn =
  (directory: string) =>
  ({ asset }: FunctionDefinition): string =>
    pathToFileURL(join(directory, asset, 'index.js')).href;
