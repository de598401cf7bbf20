import { randomUUID } from 'node:crypto';
import type { IdentityProvider } from '../access/authorize.ts';
import { type ShareSettings, shareOf } from '../access/shareOf.ts';
import type { OpenStore } from '../catalog/catalogStore.ts';
import type { RecordChangesDependencies } from '../changes/recordChangesHandler.ts';
import type { AuthorizerDependencies } from '../http/authorizerHandler.ts';
import type { OperationDependencies } from '../http/operation.ts';
import { findToken } from '../store/catalog/findToken.ts';
import type { Database } from '../store/database/database.ts';
import { changesTable } from '../store/records/keys.ts';
import { openDatabase } from '../store/sdk/connect.ts';
import { readEnvironment, type Source, variables } from './environment.ts';
import { metricNames, reportCount } from './metrics.ts';
import { createObserver } from './observer.ts';

/** @param storeIn the part of the catalog that the operation uses, in a table */
export function operationDependencies<Store>(
  source: Source,
  storeIn: (database: Database) => OpenStore<Store>,
): OperationDependencies<Store> {
  const environment = readEnvironment(source);
  return {
    openStore: storeIn(openDatabase(environment)),
    now: Date.now,
    newWriteId: randomUUID,
    observe: createObserver(environment),
    corsOrigins: environment.corsOrigins,
  };
}

export function authorizerDependencies(source: Source): AuthorizerDependencies {
  const environment = readEnvironment(source);
  const database = openDatabase(environment);
  const shares: ShareSettings | undefined = environment.shares && JSON.parse(environment.shares);
  return {
    tokens: { find: (context, token) => findToken(database.for(context), token) },
    identity: environment.identity === undefined ? undefined : openIdentityProvider(environment.identity),
    shareOf: shares && ((account) => shareOf(account, shares)),
    now: Date.now,
    observe: createObserver(environment),
  };
}

/**
 * Its code is in the bundle of the authorizer, but is only loaded if a provider is configured. If loading fails, the
 * function still starts and accepts our own tokens. @param settings of one provider or several, as JSON
 */
function openIdentityProvider(settings: string): IdentityProvider {
  const loading = import('../identity/identityProvider.ts').then(({ openProviders }) =>
    openProviders(JSON.parse(settings), { now: Date.now }),
  );
  loading.catch(() => undefined);
  return { verify: async (...token) => (await loading).verify(...token) };
}

export function recordChangesDependencies(source: Source): RecordChangesDependencies {
  const environment = readEnvironment(source);
  return {
    changes: openDatabase({ ...environment, table: changesTable(environment.table) }),
    days: Number(source[variables.changeDays]),
    // Not the error itself, which can contain what callers typed.
    observe: (unreadable, { name }: Error) => {
      const entry = { message: 'an image cannot be read', table: environment.table, ...unreadable, error: name };
      reportCount(metricNames.unreadableImages, 1, entry);
    },
  };
}
