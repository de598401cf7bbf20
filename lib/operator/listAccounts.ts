import { keyIn, parseKey } from '../store/records/parseKey.ts';
import type { Pace, ScanSource } from './scanTable.ts';
import { scanTable } from './scanTable.ts';

/** The ids of all open accounts, sorted. There is no index of accounts, so this reads the whole table. */
export async function listAccounts(source: ScanSource, pace: Pace): Promise<string[]> {
  const accounts: string[] = [];
  await scanTable(source, pace, (records) => {
    for (const key of records.map((record) => parseKey(keyIn(record))))
      if (key?.kind === 'account') accounts.push(key.account);
  });
  return accounts.sort();
}
