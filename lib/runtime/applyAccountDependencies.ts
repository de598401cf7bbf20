import type { ApplyAccountDependencies } from '../operator/accountDocument/applyAccountHandler.ts';
import { openDatabase } from '../store/database/connect.ts';
import type { Source } from './environment.ts';
import { readEnvironment } from './environment.ts';

/**
 * Creates the dependencies of the function that applies account documents.
 * @param source `process.env`, or a substitute
 */
export function applyAccountDependencies(source: Source): ApplyAccountDependencies {
  const database = openDatabase(readEnvironment(source));
  return {
    open: (context) => database.for(context),
    now: Date.now,
    log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
  };
}
