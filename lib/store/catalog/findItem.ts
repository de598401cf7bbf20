import type { IdentifierQuery } from '../../catalog/catalogReader.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Item } from '../../item/item.ts';
import type { TableReader } from '../database/tableReader.ts';
import { readGuard } from '../records/guardRecord.ts';
import { readItem } from '../records/itemRecord.ts';
import { keys } from '../records/keys.ts';

/** Reads the current item; undefined if the account has none with this id. */
export async function findItem(table: TableReader, context: RequestContext, id: number): Promise<Item | undefined> {
  const record = await table.get(context, keys.item(context.account, id));
  return record && readItem(record).item;
}

/**
 * Finds the item with an identifier through its guard. If the identifier moves to another item between the two reads,
 * the guard is read again.
 */
export async function findByIdentifier(
  table: TableReader,
  context: RequestContext,
  { name, text }: IdentifierQuery,
): Promise<Item | undefined> {
  for (let last: number | undefined; ; ) {
    const guard = await table.get(context, keys.guard(context.account, name, text));
    const owner = guard && readGuard(guard);
    // A partial restore can leave a guard whose item does not have the identifier.
    if (owner === undefined || owner === last) return undefined;
    const item = await findItem(table, context, owner);
    if (item?.[name] === text) return item;
    last = owner;
  }
}
