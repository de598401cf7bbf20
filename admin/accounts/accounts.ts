import { CommandError } from '../../cli/commandError.ts';
import { type Account, initialUnits } from '../../lib/item/account.ts';
import { queryPartition, type TimedSession } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import { ConditionFailed } from '../../lib/store/database/failures.ts';
import { putNew, type TransactItem, transact } from '../../lib/store/database/writes.ts';
import { newAccountRecord, newUnitRecord, readConfiguration } from '../../lib/store/records/accountRecord.ts';
import { configurationPartition, isSameKey, keyIn, keys, parseKey } from '../../lib/store/records/keys.ts';
import { type PacedTable, scanTable } from '../table/scanTable.ts';

/** Reads the current account. @throws CommandError if there is none, or it is being deleted */
export async function showAccount(session: TimedSession, account: string): Promise<Account> {
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
export async function listAccounts(table: PacedTable) {
  const [open, beingDeleted]: [string[], string[]] = [[], []];
  await scanTable(table, (records) => {
    for (const key of records.map((record) => parseKey(keyIn(record))))
      if (key?.kind === 'account') open.push(key.account);
      else if (key?.kind === 'closure') beingDeleted.push(key.account);
  });
  return { open: open.sort(), beingDeleted: beingDeleted.sort() };
}

/**
 * Opens an account with the default units. Everything else is configured over HTTP.
 * @returns false if it is open already. Then nothing is changed
 * @throws CommandError if it is being deleted
 */
export async function openAccount(session: TimedSession, account: string): Promise<boolean> {
  const isNotClosed = expressions((use) => ({ ConditionExpression: isAbsent(use) }));
  const parts: Record<string, TransactItem> = {
    account: putNew(newAccountRecord(account)),
    closure: { ConditionCheck: { Key: keys.closure(account), ...isNotClosed } },
  };
  for (const [code, decimals] of initialUnits) parts[`unit ${code}`] = putNew(newUnitRecord(account, code, decimals));
  try {
    await transact(session, parts);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed('closure')) throw new CommandError(isBeingDeleted(account));
    return error.afterLostResponse;
  }
}
