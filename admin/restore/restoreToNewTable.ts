import { setTimeout as sleep } from 'node:timers/promises';
import { showProgress } from '../../cli/showProgress.ts';
import { usingTable } from '../../cli/usingTable.ts';
import { type EnvironmentName, settingsOf } from '../../infra/environments.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import type { TableLocation } from '../../lib/store/sdk/connect.ts';
import { openTable, patientClient } from '../table/openTable.ts';
import { type FindingResult, printFindings } from '../verification/printFindings.ts';
import { protectTable, restoredName, restoreTable } from './restoreTable.ts';

/** What a restore does, and how fast. */
export interface RestoreWork {
  readonly to: EpochMs;
  readonly isDryRun: boolean;
  readonly segments: number;
  readonly rate: number;
}

export interface RestoredTable {
  readonly from: string;
  /** Omitted if the table was not verified. */
  readonly findings?: readonly FindingResult[];
}

/**
 * Restores a table to a new one, unless that was already done; protects it as the environment's settings say, and
 * verifies and repairs it, because a restore can contain only part of a transaction.
 * @param from a table that was already restored
 * @throws CommandError if that is not possible
 */
export async function restoreToNewTable(
  location: TableLocation,
  environment: EnvironmentName,
  from: string | undefined,
  { to, isDryRun, segments, rate }: RestoreWork,
  printLine: (line: string) => void,
): Promise<RestoredTable> {
  const { table } = location;
  const target = from ?? restoredName(table, to);
  const client = patientClient(location);
  printLine(
    from === undefined
      ? `Restoring ${table} as of ${new Date(to).toISOString()} to ${target}.`
      : `Protecting ${target} against loss.`,
  );
  const began = Date.now();
  const endProgress = showProgress(() => `waiting for ${Math.floor((Date.now() - began) / 60_000)} minutes`);
  await usingTable(target, async () => {
    if (from === undefined) await restoreTable(client, { table, target, to }, sleep);
    await protectTable(client, target, settingsOf(environment), sleep);
  }).finally(endProgress);
  printLine(`Verifying ${target}.`);
  const restored = openTable({ ...location, table: target });
  const { results } = await printFindings(restored, { repairs: !isDryRun, segments, rate }, printLine);
  return { from: target, findings: results };
}
