import type { EpochMs } from '../../item/epoch.ts';
import type { Database } from '../../store/database/database.ts';
import type { Placeholders } from '../../store/database/expressions.ts';
import { exists, expressions } from '../../store/database/expressions.ts';
import { updateRecord } from '../../store/database/writes.ts';
import { importMark } from '../../store/records/accountRecord.ts';
import { idempotencyLifetime } from '../../store/records/idempotencyKey.ts';
import { keys } from '../../store/records/keys.ts';
import { noAccount, toOperatorError } from '../accounts.ts';
import { operatorSession } from '../operatorSession.ts';

/**
 * Marks in the account when the import of a file was begun. Within a day, the rows' idempotency keys keep any number of
 * imports of it from creating a row twice. After that, only the progress of the one that began it knows what was created,
 * unless others have begun it too, for which the mark becomes negative.
 * @param hash of the file
 * @param began when the import began, as its progress says, and not at the same time as any other
 * @returns when the import must not go on; infinity if its progress knows everything
 * @throws OperatorError if there is no such account
 */
export async function markImport(database: Database, account: string, hash: string, began: EpochMs): Promise<EpochMs> {
  const attribute = importMark(hash);
  const set = async (value: (use: Placeholders) => string): Promise<number> => {
    const update = {
      Key: keys.account(account),
      ...expressions((use) => ({
        UpdateExpression: `SET ${use.name(attribute)} = ${value(use)}`,
        ConditionExpression: exists(use),
      })),
    };
    const record = await updateRecord(operatorSession(database, account), update, { idempotent: true }).catch(
      toOperatorError(() => noAccount(account)),
    );
    return Number(record[attribute]);
  };
  const first = await set(({ name, value }) => `if_not_exists(${name(attribute)}, ${value(began)})`);
  if (first === began) return Number.POSITIVE_INFINITY;
  await set(({ value }) => value(-Math.abs(first)));
  return Math.abs(first) + idempotencyLifetime * 1_000;
}
