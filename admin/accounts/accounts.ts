import { CommandError } from '../../cli/commandError.ts';
import { accountId, accountIdRule } from '../../lib/access/accountId.ts';
import type { TimedContext } from '../../lib/catalog/requestContext.ts';
import { type Account, initialUnits } from '../../lib/item/account.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Session } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import type { ConditionFailed } from '../../lib/store/database/failures.ts';
import { queryPartition } from '../../lib/store/database/reads.ts';
import { putNew, type TransactItem, type TransactionParts, transact } from '../../lib/store/database/writes.ts';
import { newAccountRecord, newUnitRecord, readConfiguration } from '../../lib/store/records/accountRecord.ts';
import { configurationPartition, keys } from '../../lib/store/records/keys.ts';
import { isSameKey, keyIn } from '../../lib/store/records/parseKey.ts';
import { explained } from '../table/operatorSession.ts';

/**
 * Opens an account with the initial units, no category and a default tax of 0.
 * @throws CommandError if the id is malformed or in use
 */
export async function openAccount(session: Session<TimedContext>, account: string): Promise<void> {
  if (!accountId.test(account)) throw new CommandError(`The account id "${account}" ${accountIdRule}.`);
  const explain = (failed: ConditionFailed) =>
    failed.failed('closure') ? isBeingDeleted(account) : `The account ${account} is already open.`;
  await transact(session, newAccountParts(account)).catch(explained(explain));
}

/**
 * The parts of the transaction that opens an account.
 * @param attributes those of its own record that differ from the usual ones
 */
export function newAccountParts(account: string, attributes: JsonObject = {}): TransactionParts {
  const isNotClosed = expressions((use) => ({ ConditionExpression: isAbsent(use) }));
  const parts: Record<string, TransactItem> = {
    account: putNew({ ...newAccountRecord(account), ...attributes }),
    closure: { ConditionCheck: { Key: keys.closure(account), ...isNotClosed } },
  };
  for (const [code, decimals] of initialUnits) parts[`unit ${code}`] = putNew(newUnitRecord(account, code, decimals));
  return parts;
}

/** Reads the current account. @throws CommandError if there is no such account */
export async function showAccount(session: Session<TimedContext>, account: string): Promise<Account> {
  const records = await queryPartition(session, configurationPartition(account));
  if (records.some((record) => isSameKey(keyIn(record), keys.closure(account))))
    throw new CommandError(isBeingDeleted(account));
  const found = readConfiguration(account, records);
  if (found === undefined) throw new CommandError(noAccount(account));
  return found;
}

export const isBeingDeleted = (account: string): string =>
  `The account ${account} is being deleted. If nobody is at it, go on with 'account delete --account ${account}'.`;
export const noAccount = (account: string): string => `There is no account ${account}.`;
