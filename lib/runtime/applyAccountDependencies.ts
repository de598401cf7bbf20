import type { ApplyAccountDependencies } from '../operator/accountDocument/applyAccountHandler.ts';
import { openDatabase } from '../store/database/connect.ts';
import type { Source } from './environment.ts';
import { readEnvironment } from './environment.ts';

/**
 * Creates the dependencies of the function that applies account documents.
 * @param source `process.env`, or a substitute
 */
export const applyAccountDependencies = (source: Source): ApplyAccountDependencies => ({
  database: openDatabase(readEnvironment(source)),
  log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
});
