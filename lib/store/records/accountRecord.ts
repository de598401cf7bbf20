import * as z from 'zod/mini';
import type { Account, Category } from '../../item/account.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { equals, exists, expressions, isBelow, type Placeholders, setText } from '../database/expressions.ts';
import type { Key, StoredRecord } from '../database/record.ts';
import type { TransactItem } from '../database/writes.ts';
import { configurationSort, keys } from './keys.ts';

const accountShape = z.object({
  default_category: z.optional(z.int()),
  default_tax: z.number(),
  /** The last category id that was assigned. */
  last_category: z.optional(z.int()),
});
const categoryShape = z.object({ id: z.int(), name: z.string(), archived: z.boolean() });
/** An attribute of a category that is being removed by an operator. Every change of the category removes it. */
export const removalMark = 'removal';
const unitShape = z.object({ code: z.string(), decimals: z.int() });
const closureShape = z.object({ closed_at: z.int() });

export const readAccount = (record: StoredRecord) => accountShape.parse(record);
export const readCategory = (record: StoredRecord) => categoryShape.parse(record);
export const readUnit = (record: StoredRecord) => unitShape.parse(record);

/** @returns when the account was closed. @throws an error if the record is not that of a closed account */
export const readClosure = (record: StoredRecord): EpochMs => closureShape.parse(record).closed_at;

export const newClosureRecord = (account: string, now: EpochMs) => ({ ...keys.closure(account), closed_at: now });

export const newAccountRecord = (account: string) => ({
  ...keys.account(account),
  default_tax: 0,
  last_category: 0,
});

export const newCategoryRecord = (account: string, id: number, name: string) => ({
  ...keys.category(account, id),
  id,
  name,
  archived: false,
});

export const newUnitRecord = (account: string, code: string, decimals: number) => ({
  ...keys.unit(account, code),
  code,
  decimals,
});

/** An update that raises an account's last category id, and never lowers it. */
export const raiseLastCategory = (account: string, last: number) => ({
  Key: keys.account(account),
  ...expressions((use) => ({
    UpdateExpression: setText(use, { last_category: last }),
    ConditionExpression: `${exists(use)} AND ${isBelow(use, 'last_category', last)}`,
  })),
});

export const categoriesIn = (records: readonly StoredRecord[]): [number, Category][] =>
  records.map(readCategory).map(({ id, name, archived }) => [id, { name, archived }]);

export const unitsIn = (records: readonly StoredRecord[]): [string, number][] =>
  records.map(readUnit).map(({ code, decimals }) => [code, decimals]);

/** @returns undefined without the account record. @throws an error if a record cannot be read */
export function readConfiguration(id: string, records: readonly StoredRecord[]): Account | undefined {
  const under = (sort: string) => records.filter((record) => String(record['sk']).startsWith(sort));
  const [own] = under(configurationSort.account);
  if (own === undefined) return undefined;
  const { default_category, default_tax } = readAccount(own);
  return {
    id,
    defaultCategory: default_category ?? null,
    defaultTax: default_tax,
    categories: new Map(categoriesIn(under(configurationSort.category))),
    units: new Map(unitsIn(under(configurationSort.unit))),
  };
}

/** Requires the account to be open, or another condition on its record, which a failed condition then returns. */
export const requireAccount = (account: string, condition: (use: Placeholders) => string = exists): TransactItem => ({
  ConditionCheck: {
    Key: keys.account(account),
    ...expressions((use) => ({ ConditionExpression: condition(use) })),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** Requires the category to exist and not be archived. */
export const requireOpen = (key: Key): TransactItem => ({
  ConditionCheck: {
    Key: key,
    ...expressions((use) => ({ ConditionExpression: equals(use, 'archived', false) })),
  },
});
