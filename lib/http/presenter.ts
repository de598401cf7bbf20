import type { Caller } from '../access/caller.ts';
import { hasPermission } from '../access/caller.ts';
import type { RecordedChange } from '../catalog/recordedChange.ts';
import type { EpochMs } from '../item/epoch.ts';
import type { FieldName, ItemFields, RestrictedName } from '../item/fields.ts';
import { fieldNames, fields } from '../item/fields.ts';
import type { Item } from '../item/item.ts';
import type { Json, JsonObject } from '../item/json.ts';
import { jsonPointer } from '../item/json.ts';

/** An item in a response. Fields that the caller may not see are omitted. */
export type PresentedItem = { readonly [Name in RestrictedName]?: ItemFields[Name] } & Omit<
  ItemFields,
  RestrictedName
> & {
    readonly id: number;
    readonly category_name: string | null;
    readonly create_date: string;
    readonly revision: number;
    readonly updated_at: string;
    readonly updated_by: string;
  };

/** Whether the caller may see a field. */
function isShown(name: FieldName, caller: Caller): boolean {
  const row = fields[name];
  return !('permission' in row) || hasPermission(caller, row.permission);
}

/**
 * Formats an item for responses, with the fields in the order of spec table 2.1, and ours after them.
 * @param categoryName null if it has no category
 */
export function presentItem(item: Item, categoryName: string | null, caller: Caller): PresentedItem {
  const shown: Record<string, Json> = { id: item.id };
  for (const name of fieldNames) {
    if (!isShown(name, caller)) continue;
    shown[name] = item[name];
    if (name === 'category') shown['category_name'] = categoryName;
  }
  shown['metadata'] = inOrder(item.metadata);
  shown['create_date'] = timestamp(item.createdAt);
  shown['revision'] = item.revision;
  shown['updated_at'] = timestamp(item.updatedAt);
  shown['updated_by'] = item.updatedBy;
  return shown as PresentedItem;
}

/** Formats a change for responses, without the fields that the caller may not see. */
export const presentChange = (change: RecordedChange, caller: Caller) => ({
  number: change.number,
  item: change.item,
  kind: change.kind,
  revision: change.revision,
  updated_at: timestamp(change.updatedAt),
  updated_by: change.updatedBy,
  recorded_at: change.recordedAt === undefined ? null : timestamp(change.recordedAt),
  fields: change.fields
    .filter(({ field }) => isShown(field, caller))
    .map(({ field, key, from, to }) => ({
      field,
      ...(key !== undefined && { path: jsonPointer([key]) }),
      ...(from !== undefined && { from: inOrder(from) }),
      ...(to !== undefined && { to: inOrder(to) }),
    })),
});

/** For example `2026-11-20T23:10:00+00:00`. */
const timestamp = (time: EpochMs): string => `${new Date(time).toISOString().slice(0, 19)}+00:00`;

/**
 * Sorts object keys. DynamoDB does not keep their order, and the fields of a form built from them should not jump
 * around.
 */
function inOrder(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, inOrder(object[key] ?? null)]),
  );
}
