import type { TimedContext } from '../../catalog/requestContext.ts';
import type { JsonObject } from '../../item/json.ts';
import type { Session } from '../../store/database/database.ts';
import type { Placeholders } from '../../store/database/expressions.ts';
import { equals, exists, expressions, setText } from '../../store/database/expressions.ts';
import { isDone } from '../../store/database/failures.ts';
import { queryPartition } from '../../store/database/reads.ts';
import type { TransactItem, TransactionParts } from '../../store/database/writes.ts';
import { transact } from '../../store/database/writes.ts';
import { newCategoryRecord, newUnitRecord, readAccount, readConfiguration } from '../../store/records/accountRecord.ts';
import { configurationPartition, keys } from '../../store/records/keys.ts';
import { isSameKey, keyIn } from '../../store/records/parseKey.ts';
import { newAccountParts, putNew, requireOpen } from '../accounts.ts';
import type { AccountDocument } from './accountDocument.ts';
import { at, DocumentError } from './accountDocument.ts';
import type { Change, Plan, SeenAccount } from './planAccount.ts';
import { planAccount } from './planAccount.ts';

/**
 * Makes an account what a document says. What the document leaves out stays as it is. The changes are made in one
 * transaction, or several if there are very many, each conditional on what it was planned from. If somebody else changes
 * the account meanwhile, it is planned again.
 * @param options whether only to plan
 * @returns what was done, or would be; empty if there is nothing to change
 * @throws DocumentError if that is not possible
 */
export async function applyAccount(
  session: Session<TimedContext>,
  document: AccountDocument,
  { isDryRun = false } = {},
): Promise<Plan> {
  const attempts = session.attempts();
  const done: Change[] = [];
  for (let first: Plan | undefined; ; ) {
    const seen = await readAccountForPlan(session, document.account);
    const plan = planAccount(document, seen);
    const { changes } = plan;
    first ??= plan;
    if (isDryRun) return plan;
    if (changes.length === 0) return { changes: done, kept: first.kept };
    const next = changes.slice(0, maxChanges);
    if (await isDone(transact(session, partsOf(document.account, seen, next)))) done.push(...next);
    else await attempts.backOff('moved', new Error('The account was changed meanwhile'));
  }
}

/** DynamoDB limits a transaction to 100 parts. Opening an account takes 15, and the default category one. */
const maxChanges = 80;

async function readAccountForPlan(session: Session<TimedContext>, account: string): Promise<SeenAccount> {
  const records = await queryPartition(session, configurationPartition(account));
  if (records.some((record) => isSameKey(keyIn(record), keys.closure(account))))
    throw new DocumentError('IMPOSSIBLE_CHANGE', [at(['account'], 'is being deleted')]);
  const own = records.find((record) => isSameKey(keyIn(record), keys.account(account)));
  return {
    account: readConfiguration(account, records),
    lastCategory: own && readAccount(own).last_category,
  };
}

type AccountAttributes = ReturnType<typeof attributesOf>;

/** The attributes of the account's own record. Null means that it lacks one. */
const attributesOf = ({ account, lastCategory }: SeenAccount) => ({
  default_category: account?.defaultCategory ?? null,
  default_tax: account?.defaultTax ?? 0,
  last_category: lastCategory ?? null,
});

function partsOf(id: string, seen: SeenAccount, changes: readonly Change[]): TransactionParts {
  const before = attributesOf(seen);
  const after = changes.reduce(attributesAfter, before);
  const written = changes.map((change) => [nameOf(change), partOf(id, change)] as const);
  const parts: TransactionParts = {
    ...(seen.account === undefined ? newAccountParts(id, valued(after)) : { account: writeAccount(id, before, after) }),
    ...Object.fromEntries(written.flatMap(([name, part]) => (part === undefined ? [] : [[name, part]]))),
  };
  const byDefault = after.default_category;
  if (byDefault === null || byDefault === before.default_category || nameOfCategory(byDefault) in parts) return parts;
  return { ...parts, [nameOfCategory(byDefault)]: requireOpen(keys.category(id, byDefault)) };
}

const valued = (attributes: AccountAttributes): JsonObject =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== null));

function attributesAfter(attributes: AccountAttributes, change: Change): AccountAttributes {
  if (change.change === 'add category')
    return { ...attributes, last_category: Math.max(attributes.last_category ?? 0, change.id) };
  if (change.change !== 'set defaults') return attributes;
  return { ...attributes, default_category: change.to.category, default_tax: change.to.tax };
}

const nameOfCategory = (id: number): string => `category ${id}`;

const nameOf = (change: Change): string =>
  'unit' in change ? `unit ${change.unit}` : 'id' in change ? nameOfCategory(change.id) : change.change;

/** Undefined for changes of the account's own record. */
function partOf(account: string, change: Change): TransactItem | undefined {
  switch (change.change) {
    case 'add unit':
      return putNew(newUnitRecord(account, change.unit, change.decimals));
    case 'add category':
      return putNew({ ...newCategoryRecord(account, change.id, change.name), archived: change.archived });
    case 'change category':
      return {
        Update: {
          Key: keys.category(account, change.id),
          ...expressions((use) => ({
            UpdateExpression: setText(use, { ...change.to }),
            ConditionExpression: isStill(use, { ...change.from }),
          })),
        },
      };
    default:
      return undefined;
  }
}

/** Also part of a transaction that does not change it, because the other parts were planned from it. */
function writeAccount(id: string, before: AccountAttributes, after: AccountAttributes): TransactItem {
  const changed = Object.entries(after).filter(([name, value]) => value !== before[name as keyof AccountAttributes]);
  const Key = keys.account(id);
  if (changed.length === 0)
    return { ConditionCheck: { Key, ...expressions((use) => ({ ConditionExpression: isStill(use, before) })) } };
  return {
    Update: {
      Key,
      ...expressions((use) => ({
        UpdateExpression: setText(use, Object.fromEntries(changed)),
        ConditionExpression: isStill(use, before),
      })),
    },
  };
}

/** Requires that a record exists and has these attributes, or lacks those that are null. */
const isStill = (use: Placeholders, attributes: JsonObject): string =>
  [
    exists(use),
    ...Object.entries(attributes).map(([name, value]) =>
      value === null ? `attribute_not_exists(${use.name(name)})` : equals(use, name, value),
    ),
  ].join(' AND ');
