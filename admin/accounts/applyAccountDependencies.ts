import { readEnvironment, type Source } from '../../lib/runtime/environment.ts';
import { openDatabase } from '../../lib/store/sdk/connect.ts';
import type { ApplyAccountDependencies } from './applyAccountHandler.ts';

export const applyAccountDependencies = (source: Source): ApplyAccountDependencies => ({
  database: openDatabase(readEnvironment(source)),
  log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
});
