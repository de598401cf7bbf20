import { randomUUID } from 'node:crypto';
import type { IdentityProvider } from '../access/authorize.ts';
import type { CatalogReader } from '../catalog/catalogReader.ts';
import type { AuthorizerDependencies } from '../http/authorizerHandler.ts';
import type { OperationDependencies } from '../http/operation.ts';
import { dynamoCatalogReader } from '../store/catalog/dynamoCatalogReader.ts';
import { dynamoCatalogStore } from '../store/catalog/dynamoCatalogStore.ts';
import { findToken } from '../store/catalog/findToken.ts';
import { Database } from '../store/database/database.ts';
import type { ClientOptions } from './connect.ts';
import { connect } from './connect.ts';
import type { Environment } from './environment.ts';
import { readEnvironment, variables } from './environment.ts';
import { createObserver } from './observer.ts';

type Source = Readonly<Record<string, string | undefined>>;

export const openDatabase = (options: ClientOptions & Pick<Environment, 'table'>): Database =>
  new Database(connect(options), options.table);

/**
 * The observer of a function. It bypasses `console`, because Lambda would wrap the lines in JSON of its own, where
 * CloudWatch finds no metrics.
 */
const observer = ({ table, dynamodb, errorsOnly }: Environment) =>
  createObserver({
    write: (line) => process.stdout.write(`${line}\n`),
    table,
    dynamodb: dynamodb ?? `default endpoint (${variables.dynamodb} is not set)`,
    now: Date.now,
    errorsOnly,
  });

/**
 * Creates the dependencies of the functions that write items.
 * @param source `process.env`, or a substitute
 */
export const itemDependencies = (source: Source): OperationDependencies =>
  operationDependencies(source, (environment) => dynamoCatalogStore(openDatabase(environment)));

/**
 * Creates the dependencies of the functions that only read.
 * @param source `process.env`, or a substitute
 */
export const readerDependencies = (source: Source): OperationDependencies<CatalogReader> =>
  operationDependencies(source, (environment) => dynamoCatalogReader(openDatabase(environment)));

function operationDependencies<Store>(
  source: Source,
  openStore: (environment: Environment) => Store,
): OperationDependencies<Store> {
  const environment = readEnvironment(source);
  return {
    store: openStore(environment),
    now: Date.now,
    newWriteId: randomUUID,
    observe: observer(environment),
    corsOrigins: environment.corsOrigins,
  };
}

/**
 * Creates the authorizer's dependencies.
 * @param source `process.env`, or a substitute
 */
export function authorizerDependencies(source: Source): AuthorizerDependencies {
  const environment = readEnvironment(source);
  const database = openDatabase(environment);
  return {
    tokens: { find: (context, token) => findToken(database.for(context), token) },
    identity: environment.identity === undefined ? undefined : openIdentityProvider(environment.identity),
    now: Date.now,
    observe: observer(environment),
  };
}

/**
 * The configured identity provider. Its code is in the authorizer's bundle, but is only loaded if one is configured. If
 * loading fails, the function still starts and accepts our own tokens.
 * @param settings as JSON
 */
function openIdentityProvider(settings: string): IdentityProvider {
  const loading = import('../identity/identityProvider.ts').then(({ identityProvider }) =>
    identityProvider(JSON.parse(settings), { now: Date.now }),
  );
  loading.catch(() => undefined);
  return { verify: async (token) => (await loading).verify(token) };
}
