import { keyIn, parseKey } from '../../lib/store/records/parseKey.ts';
import { type Pace, type ScanSource, scanTable } from '../table/scanTable.ts';

/** The ids of all accounts, sorted. There is no index of them, so this reads the whole table. */
export async function listAccounts(source: ScanSource, pace: Pace) {
  const [open, beingDeleted]: [string[], string[]] = [[], []];
  await scanTable(source, pace, (records) => {
    for (const key of records.map((record) => parseKey(keyIn(record))))
      if (key?.kind === 'account') open.push(key.account);
      else if (key?.kind === 'closure') beingDeleted.push(key.account);
  });
  return { open: open.sort(), beingDeleted: beingDeleted.sort() };
}
