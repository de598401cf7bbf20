import { type Caller, hasPermission } from '../access/caller.ts';
import type { NamedItem } from '../catalog/loadAccount.ts';
import { PreconditionFailed } from '../catalog/updateItem.ts';
import type { EpochMs } from '../item/epoch.ts';
import { type CatalogError, errors } from '../item/errors.ts';
import type { FieldChange } from '../item/fieldChanges.ts';
import { type FieldName, fieldNames, fields } from '../item/fields.ts';
import type { Item } from '../item/item.ts';
import { type Json, type JsonObject, jsonPointer } from '../item/json.ts';
import { limits } from '../item/limits.ts';
import { etag } from './requestParts.ts';

export function isShown(name: FieldName, caller: Caller): boolean {
  const row = fields[name];
  return !('permission' in row) || hasPermission(caller, row.permission);
}

/** With the fields in the order of spec table 2.1, and then ours, without those that the caller may not see. */
export function presentItem(item: Item, categoryName: string | null, caller: Caller): JsonObject {
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
  return shown;
}

export const itemAnswer = ({ item, categoryName }: NamedItem, caller: Caller) => ({
  headers: { etag: etag(item.revision) },
  body: { data: presentItem(item, categoryName, caller) },
});

/**
 * As many entries of a page as fit in a response, at least one. Lambda measures a function's result as JSON, in which the
 * body is a string, so quotes and backslashes of the body count twice.
 */
export function fitting<Entry>(entries: readonly Entry[]): readonly Entry[] {
  // No character takes more than three bytes, so most pages need not be measured entry by entry.
  if (JSON.stringify(entries).length * 3 <= limits.pageBytes) return entries;
  let bytes = 0;
  const end = entries.findIndex((entry, index) => {
    bytes += Buffer.byteLength(JSON.stringify(JSON.stringify(entry)));
    return index > 0 && bytes > limits.pageBytes;
  });
  return end === -1 ? entries : entries.slice(0, end);
}

export const presentFieldChanges = (changes: readonly FieldChange[], caller: Caller) =>
  changes
    .filter(({ field }) => isShown(field, caller))
    .map(({ field, key, from, to }) => ({
      field,
      ...(key !== undefined && { path: jsonPointer([key]) }),
      ...(from !== undefined && { from: inOrder(from) }),
      ...(to !== undefined && { to: inOrder(to) }),
    }));

/** For example `2026-11-20T23:10:00+00:00`. */
export const timestamp = (time: EpochMs): string => `${new Date(time).toISOString().slice(0, 19)}+00:00`;

/** Sorts object keys, whose order DynamoDB does not keep, so that the fields of a form do not jump around. */
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

/**
 * Formats an error for responses (spec 7.1), as the gateway's own. A failed precondition also returns the current item
 * and its entity tag, as a success would. @param caller undefined if the request failed before that was identified
 */
export function presentError(failure: CatalogError, caller: Caller | undefined) {
  const { code, message, subject, fields } = failure;
  const { status } = errors[code];
  const error: object = { message, code, ...subject, ...(fields && { fields }) };
  if (!(failure instanceof PreconditionFailed) || caller === undefined) return { status, body: { error } };
  const { headers, body } = itemAnswer(failure.current, caller);
  return { status, headers, body: { error, ...body } };
}
