import { CommandError } from '../../cli/commandError.ts';
import type { TimedContext } from '../../lib/catalog/requestContext.ts';
import type { Account } from '../../lib/item/account.ts';
import type { Session } from '../../lib/store/database/database.ts';
import { queryPartition } from '../../lib/store/database/reads.ts';
import { readConfiguration } from '../../lib/store/records/accountRecord.ts';
import { configurationPartition, keys } from '../../lib/store/records/keys.ts';
import { isSameKey, keyIn, parseKey } from '../../lib/store/records/parseKey.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { type ScanSource, scanTable } from '../table/scanTable.ts';

/** Reads the current account. @throws CommandError if there is none, or it is being deleted */
export async function showAccount(session: Session<TimedContext>, account: string): Promise<Account> {
  const records = await queryPartition(session, configurationPartition(account));
  if (records.some((record) => isSameKey(keyIn(record), keys.closure(account))))
    throw new CommandError(isBeingDeleted(account));
  const found = readConfiguration(account, records);
  if (found === undefined) throw new CommandError(noAccount(account));
  return found;
}

export const isBeingDeleted = (account: string): string =>
  `The account ${account} is being deleted. If nobody else is doing that, continue with 'account delete --account ${account}'.`;

export const noAccount = (account: string): string => `There is no account ${account}.`;

/** The ids of all accounts, sorted. There is no index of them, so this reads the whole table. */
export async function listAccounts(source: ScanSource, limiter: RateLimiter) {
  const [open, beingDeleted]: [string[], string[]] = [[], []];
  await scanTable(source, limiter, (records) => {
    for (const key of records.map((record) => parseKey(keyIn(record))))
      if (key?.kind === 'account') open.push(key.account);
      else if (key?.kind === 'closure') beingDeleted.push(key.account);
  });
  return { open: open.sort(), beingDeleted: beingDeleted.sort() };
}
