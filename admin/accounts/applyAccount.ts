import type { TimedContext } from '../../lib/catalog/requestContext.ts';
import { initialUnits } from '../../lib/item/account.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Session } from '../../lib/store/database/database.ts';
import { existsWith, expressions, isAbsent, setText } from '../../lib/store/database/expressions.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import { queryPartition } from '../../lib/store/database/reads.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { putNew, type TransactItem, type TransactionParts, transact } from '../../lib/store/database/writes.ts';
import {
  newAccountRecord,
  newCategoryRecord,
  newUnitRecord,
  readAccount,
  readConfiguration,
  requireOpen,
} from '../../lib/store/records/accountRecord.ts';
import { configurationPartition, keys } from '../../lib/store/records/keys.ts';
import { isSameKey, keyIn } from '../../lib/store/records/parseKey.ts';
import { type AccountDocument, at, DocumentError } from './accountDocument.ts';
import { type AccountChange, type AccountPlan, planAccount, requireShown } from './planAccount.ts';

/**
 * Makes an account what a document says, in one transaction, or several if there are very many changes. If somebody else
 * changes the account meanwhile, it is planned again.
 * @param options `renew` opens a session with a time limit of its own for each further transaction
 * @returns what was done, or would be; empty if there is nothing to change
 * @throws DocumentError if that is not possible, or others have changed the account since the document was shown
 */
export async function applyAccount(
  first: Session<TimedContext>,
  document: AccountDocument,
  { isDryRun = false, renew = () => first } = {},
): Promise<AccountPlan> {
  const { account } = document;
  let session = first;
  let attempts = session.attempts();
  const done: AccountChange[] = [];
  for (let whole: AccountPlan | undefined; ; ) {
    const records = await queryPartition(session, configurationPartition(account));
    const find = (key: Key) => records.find((found) => isSameKey(keyIn(found), key));
    if (find(keys.closure(account)) !== undefined)
      throw new DocumentError('IMPOSSIBLE_CHANGE', [at(['account'], 'is being deleted')]);
    const record = find(keys.account(account));
    const seen = record && readAccount(record);
    const before = readConfiguration(account, records);
    const plan = planAccount(document, before, seen?.last_category);
    if (before !== undefined && plan.changes.length > 0) requireShown(document, before, plan);
    whole ??= plan;
    if (isDryRun) return plan;
    const next = plan.changes.slice(0, maxChanges);
    if (next.length === 0 || (await isDone(transact(session, partsFor(account, seen, next))))) {
      done.push(...next);
      // What others change from now on comes after the document.
      if (next.length === plan.changes.length) return { ...whole, changes: done };
      session = renew();
      attempts = session.attempts();
    } else await attempts.backOff('moved', new Error('The account was changed meanwhile'));
  }
}

/** DynamoDB limits a transaction to 100 parts. Opening an account takes 15, and the default category one. */
const maxChanges = 80;

/**
 * The account's own record is part of every transaction, because the other parts were planned from it.
 * @param seen its own record; undefined if it is not open
 */
function partsFor(
  account: string,
  seen: ReturnType<typeof readAccount> | undefined,
  changes: readonly AccountChange[],
): TransactionParts {
  const parts: Record<string, TransactItem> = {};
  const { default_category = null, default_tax = 0, last_category = null } = seen ?? {};
  const before = { default_category, default_tax, last_category };
  const after = { ...before };
  for (const change of changes)
    switch (change.change) {
      case 'add unit':
        parts[`unit ${change.unit}`] = putNew(newUnitRecord(account, change.unit, change.decimals));
        break;
      case 'add category': {
        const { id, name, archived } = change;
        parts[`category ${id}`] = putNew({ ...newCategoryRecord(account, id, name), archived });
        after.last_category = Math.max(after.last_category ?? 0, id);
        break;
      }
      case 'change category': {
        const { id, from, to } = change;
        parts[`category ${id}`] = setIfStill(keys.category(account, id), { ...from }, { ...to });
        break;
      }
      case 'set defaults':
        after.default_category = change.to.category;
        after.default_tax = change.to.tax;
    }
  const { default_category: byDefault } = after;
  if (byDefault !== null && byDefault !== before.default_category)
    parts[`category ${byDefault}`] ??= requireOpen(keys.category(account, byDefault));
  if (seen !== undefined) return { account: setIfStill(keys.account(account), before, after), ...parts };
  for (const [code, decimals] of initialUnits) parts[`unit ${code}`] = putNew(newUnitRecord(account, code, decimals));
  const given = Object.fromEntries(Object.entries(after).filter(([, value]) => value !== null));
  const isNotClosed = expressions((use) => ({ ConditionExpression: isAbsent(use) }));
  return {
    account: putNew({ ...newAccountRecord(account), ...given }),
    closure: { ConditionCheck: { Key: keys.closure(account), ...isNotClosed } },
    ...parts,
  };
}

/** Sets attributes of a record that still has those that were seen. Null means that it has none. */
function setIfStill(key: Key, seen: JsonObject, attributes: JsonObject): TransactItem {
  const texts = expressions((use) => ({
    UpdateExpression: setText(use, attributes),
    ConditionExpression: existsWith(use, seen),
  }));
  return { Update: { Key: key, ...texts } };
}
