import type { RecordChangesDependencies } from '../changes/recordChangesHandler.ts';
import { changesTable } from '../store/records/keys.ts';
import { openDatabase } from '../store/sdk/connect.ts';
import { readEnvironment, type Source, variables } from './environment.ts';
import { metricNames, reportCount } from './metrics.ts';

export function recordChangesDependencies(source: Source): RecordChangesDependencies {
  const environment = readEnvironment(source);
  const days = Number(source[variables.changeDays]);
  return {
    changes: openDatabase({ ...environment, table: changesTable(environment.table) }),
    days,
    // Not the error itself, which can contain what callers typed.
    observe: (unreadable, { name }: Error) => {
      const entry = { message: 'an image cannot be read', table: environment.table, ...unreadable, error: name };
      reportCount(metricNames.unreadableImages, 1, entry);
    },
  };
}
