import { setTimeout as sleep } from 'node:timers/promises';
import { usingTable } from '../../cli/usingTable.ts';
import { type EnvironmentName, settingsOf } from '../../infra/environments.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import type { TableLocation } from '../../lib/store/sdk/connect.ts';
import { openTable, patientClient } from '../table/openTable.ts';
import { type FindingResult, printFindings } from '../verification/printFindings.ts';
import { protectTable, restoreTable } from './restoreTable.ts';

export interface RestoreWork {
  readonly to: EpochMs;
  readonly isDryRun: boolean;
  readonly rate: number;
}

/**
 * Restores a table to a new one, unless that was already done; protects it as the environment's settings say, and
 * verifies and repairs it, because a restore can contain only part of a transaction.
 * @param isRestored whether the new table was restored in another way
 * @throws CommandError if that is not possible
 */
export async function restoreToNewTable(
  location: TableLocation,
  environment: EnvironmentName,
  { target, isRestored }: { readonly target: string; readonly isRestored: boolean },
  { to, isDryRun, rate }: RestoreWork,
  printLine: (line: string) => void,
): Promise<readonly FindingResult[]> {
  const { table } = location;
  const client = patientClient(location);
  printLine(
    isRestored
      ? `Protecting ${target} against loss.`
      : `Restoring ${table} as of ${new Date(to).toISOString()} to ${target}.`,
  );
  const began = Date.now();
  const prepare = async () => {
    if (!isRestored) await restoreTable(client, { table, target, to }, sleep);
    await protectTable(client, target, settingsOf(environment), sleep);
  };
  await usingTable(target, prepare, () => `waiting for ${Math.floor((Date.now() - began) / 60_000)} minutes`);
  printLine(`Verifying ${target}.`);
  const restored = openTable({ ...location, table: target });
  return (await printFindings(restored, { repairs: !isDryRun, rate }, printLine)).results;
}
