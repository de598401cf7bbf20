import { randomUUID } from 'node:crypto';
import type { OpenStore } from '../catalog/catalogReader.ts';
import type { OperationDependencies } from '../http/operation.ts';
import type { Database } from '../store/database/database.ts';
import { openDatabase } from '../store/sdk/connect.ts';
import { readEnvironment, type Source } from './environment.ts';
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
