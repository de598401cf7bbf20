/**
 * Guard records make codes unique: each names the item that owns the code, and is put and deleted in the transaction
 * that writes the code to the item. A code and its guard are never written apart.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { RequestContext } from '../../catalog/catalogStore.ts';
import type { ItemFields } from '../../item/item.ts';
import { toAttribute } from '../database/attributes.ts';
import { keyOf } from '../database/database.ts';
import type { IdentifierName } from './keys.ts';
import { identifierNames, keyAttributes, keys } from './keys.ts';

/** The codes of an item. */
export type Identifiers = Pick<ItemFields, IdentifierName>;

/** The attribute of a guard with the id of the item that owns the code. */
export const ownerAttribute = 'item_id';

/** One code of an item: which, and its text. */
export interface Identifier {
  readonly name: IdentifierName;
  readonly text: string;
}

/** The codes that `codes` has and `others` has not. */
export const identifiersBeyond = (codes: Identifiers, others: Identifiers): Identifier[] =>
  identifierNames.flatMap((name) => {
    const text = codes[name];
    return text === null || text === others[name] ? [] : [{ name, text }];
  });

export const noIdentifiers: Identifiers = { sku: null, pn: null };

/** True of a free code, and of one that is this item's already, as a restore from backup may have left it. */
const isFreeOrOwn = (id: number) => ({
  ConditionExpression: 'attribute_not_exists(#pk) OR #item = :item',
  ExpressionAttributeNames: { '#pk': keyAttributes.partition, '#item': ownerAttribute },
  ExpressionAttributeValues: { ':item': toAttribute(id) },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});

/** Takes a code for an item; refused while another item owns it. */
export const putGuard = (
  table: string,
  call: RequestContext,
  id: number,
  { name, text }: Identifier,
): TransactWriteItem => ({
  Put: {
    TableName: table,
    Item: { ...keyOf(keys.guard(call.account, name, text)), [ownerAttribute]: toAttribute(id) },
    ...isFreeOrOwn(id),
  },
});

/** Frees a code of an item; refused when it is another item's. */
export const deleteGuard = (
  table: string,
  call: RequestContext,
  id: number,
  { name, text }: Identifier,
): TransactWriteItem => ({
  Delete: { TableName: table, Key: keyOf(keys.guard(call.account, name, text)), ...isFreeOrOwn(id) },
});
