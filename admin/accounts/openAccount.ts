import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { CommandError } from '../../cli/commandError.ts';
import { accountId, accountIdRule } from '../../lib/access/accountId.ts';
import { deadlineOf, type TimedContext, timedContext } from '../../lib/catalog/requestContext.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { readEnvironment, type Source } from '../../lib/runtime/environment.ts';
import type { Database, Session } from '../../lib/store/database/database.ts';
import { expressions, isAbsent } from '../../lib/store/database/expressions.ts';
import { ConditionFailed } from '../../lib/store/database/failures.ts';
import { putNew, transact } from '../../lib/store/database/writes.ts';
import { newAccountRecord, newUnitRecord } from '../../lib/store/records/accountRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { openDatabase } from '../../lib/store/sdk/connect.ts';
import { isBeingDeleted } from './accounts.ts';

/**
 * Opens an account with the default units. What else it has is configured over HTTP.
 * @returns false if it is open already, and stays as it is
 * @throws CommandError if it is being deleted
 */
export async function openAccount(session: Session<TimedContext>, account: string): Promise<boolean> {
  const isNotClosed = expressions((use) => ({ ConditionExpression: isAbsent(use) }));
  const units = [...initialUnits].map(([code, decimals]) => [
    `unit ${code}`,
    putNew(newUnitRecord(account, code, decimals)),
  ]);
  const parts = {
    account: putNew(newAccountRecord(account)),
    closure: { ConditionCheck: { Key: keys.closure(account), ...isNotClosed } },
    ...Object.fromEntries(units),
  };
  try {
    await transact(session, parts);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    if (error.failed('closure')) throw new CommandError(isBeingDeleted(account));
    return error.afterLostResponse;
  }
}

const request = z.strictObject({ account: z.string(accountIdRule).check(z.regex(accountId, accountIdRule)) });

/** Opens the account that it is invoked with. What fails is thrown, so that Lambda counts it, and may repeat it. */
export const openAccountHandler =
  (database: Database) =>
  async (event: unknown, { getRemainingTimeInMillis }: Pick<Context, 'getRemainingTimeInMillis'>) => {
    const { account } = request.parse(event);
    const context = timedContext(deadlineOf(database.clock.now(), getRemainingTimeInMillis()));
    return { account, opened: await openAccount(database.for(context), account) };
  };

export const openAccountDatabase = (source: Source): Database => openDatabase(readEnvironment(source));
