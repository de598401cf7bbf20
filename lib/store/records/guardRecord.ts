/** Guards make identifiers unique: each is only put or deleted with the identifier of its item, in one transaction. */
import * as z from 'zod/mini';
import type { Identifier } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { TakenIdentifier } from '../../item/errors.ts';
import { byName, type IdentifierName, type ItemFields, identifierNames } from '../../item/fields.ts';
import { equals, expressions, isAbsent } from '../database/expressions.ts';
import type { ConditionFailed } from '../database/failures.ts';
import type { StoredRecord } from '../database/record.ts';
import type { TransactionParts } from '../database/writes.ts';
import { keys } from './keys.ts';

export type Identifiers = Pick<ItemFields, IdentifierName>;

/** The identifiers in `some` that are not in `others`. */
export const identifiersNotIn = (some: Identifiers, others: Identifiers): Identifier[] =>
  identifierNames.flatMap((name) => {
    const text = some[name];
    return text === null || text === others[name] ? [] : [{ name, text }];
  });

export const noIdentifiers: Identifiers = byName(identifierNames, () => null);

const shape = z.object({ item_id: z.int() });

/** The id of the item that owns the identifier. @throws an error if the record is not a guard */
export const readGuard = (record: StoredRecord): number => shape.parse(record).item_id;

/** The same; undefined if the guard cannot be read. */
export const ownerIn = (record: StoredRecord): number | undefined => shape.safeParse(record).data?.item_id;

/** True if the identifier is free, or already owned by this item, which can happen after a partial restore. */
const isFreeOrOwn = (id: number) => ({
  ...expressions((use) => ({ ConditionExpression: `${isAbsent(use)} OR ${equals(use, 'item_id', id)}` })),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

type AccountContext = Pick<RequestContext, 'account'>;

/** Refused if another item owns it. @param owner the item that may own it so far, by default the item itself */
export const putGuard = ({ account }: AccountContext, id: number, { name, text }: Identifier, owner = id) => ({
  Put: { Item: { ...keys.guard(account, name, text), item_id: id }, ...isFreeOrOwn(owner) },
});

/** Frees an identifier of an item. The condition fails if another item owns it. */
export const deleteGuard = ({ account }: AccountContext, id: number, { name, text }: Identifier) => ({
  Delete: { Key: keys.guard(account, name, text), ...isFreeOrOwn(id) },
});

/** The transaction parts that put the guards an item takes and delete those it frees. */
export const guardParts = (
  context: RequestContext,
  id: number,
  { taken, freed }: { readonly taken: readonly Identifier[]; readonly freed: readonly Identifier[] },
): TransactionParts => ({
  ...Object.fromEntries(taken.map((one) => [guardPart.put(one), putGuard(context, id, one)])),
  ...Object.fromEntries(freed.map((one) => [guardPart.delete(one), deleteGuard(context, id, one)])),
});

/** Names of the guard parts, which identify the identifier when the condition of a part fails. */
export const guardPart = {
  put: ({ name }: Identifier): string => `put ${name} guard`,
  delete: ({ name }: Identifier): string => `delete ${name} guard`,
} as const;

/** What a cancelled transaction could not take, and whose it is. @throws an error if a guard cannot be read */
export const takenIdentifiers = (
  cancellation: ConditionFailed,
  identifiers: readonly Identifier[],
): TakenIdentifier[] =>
  identifiers
    .map((identifier) => ({ field: identifier.name, part: guardPart.put(identifier) }))
    .filter(({ part }) => cancellation.failed(part))
    .map(({ field, part }) => ({ field, item: readGuard(cancellation.stored(part) ?? {}) }));
