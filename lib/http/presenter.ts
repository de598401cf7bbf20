import type { Caller } from '../access/caller.ts';
import { hasPermission } from '../access/caller.ts';
import type { Item } from '../item/item.ts';
import type { Json, JsonObject } from '../item/json.ts';

/**
 * Formats an item for responses, with the fields in the order of spec table 2.1.
 * @param categoryName null if it has no category
 * @param caller determines whether `cost` is shown
 */
export function presentItem(item: Item, categoryName: string | null, caller: Caller) {
  return {
    id: item.id,
    name: item.name,
    type: item.type,
    category: item.category,
    category_name: categoryName,
    value: item.value,
    qty: item.qty,
    unit: item.unit,
    description: item.description,
    active: item.active,
    ...(hasPermission(caller, 'catalog:cost:read') ? { cost: item.cost } : {}),
    tax: item.tax,
    sku: item.sku,
    pn: item.pn,
    tag: item.tag,
    metadata: inOrder(item.metadata),
    create_date: timestamp(item.createdAt),
  };
}

/** @param milliseconds since 1970 @returns for example `2026-11-20T23:10:00+00:00` */
const timestamp = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`;

/**
 * Sorts object keys. DynamoDB does not keep their order, and the fields of a form built from them should not jump
 * around.
 */
function inOrder(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, member]) => [key, inOrder(member)]));
}
