import type { Source } from '../../lib/runtime/environment.ts';
import { readEnvironment } from '../../lib/runtime/environment.ts';
import { openDatabase } from '../../lib/store/database/connect.ts';
import type { ApplyAccountDependencies } from './applyAccountHandler.ts';

/**
 * Creates the dependencies of the function that applies account documents.
 * @param source `process.env`, or a substitute
 */
export const applyAccountDependencies = (source: Source): ApplyAccountDependencies => ({
  database: openDatabase(readEnvironment(source)),
  log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
});
