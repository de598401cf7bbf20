import type { RecordChangesDependencies } from '../operator/recordChangesHandler.ts';
import { openDatabase } from '../store/database/connect.ts';
import { changesTable } from '../store/records/keys.ts';
import { readEnvironment, type Source, variables } from './environment.ts';

/**
 * Creates the dependencies of the function that records changes.
 * @param source `process.env`, or a substitute
 */
export function recordChangesDependencies(source: Source): RecordChangesDependencies {
  const environment = readEnvironment(source);
  const days = Number(source[variables.changeDays]);
  return { changes: openDatabase({ ...environment, table: changesTable(environment.table) }), days };
}
