import { CommandError } from '../../cli/commandError.ts';
import type { TimedContext } from '../../lib/catalog/requestContext.ts';
import { initialUnits } from '../../lib/item/account.ts';
import type { Session } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import { ConditionFailed } from '../../lib/store/database/failures.ts';
import { putNew, type TransactItem, transact } from '../../lib/store/database/writes.ts';
import { newAccountRecord, newUnitRecord } from '../../lib/store/records/accountRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { isBeingDeleted } from './accounts.ts';

/**
 * Opens an account with the default units. Everything else is configured over HTTP.
 * @returns false if it is open already. Then nothing is changed
 * @throws CommandError if it is being deleted
 */
export async function openAccount(session: Session<TimedContext>, account: string): Promise<boolean> {
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
