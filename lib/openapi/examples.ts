import { permissions } from '../access/caller.ts';
import { PreconditionFailed } from '../catalog/updateItem.ts';
import { presentChange, type RecordedChange } from '../changes/recordedChange.ts';
import { encodeCursor } from '../http/cursor.ts';
import { presentCatalog } from '../http/getCatalogHandler.ts';
import type { Operation } from '../http/operations.ts';
import { itemAnswer, presentError, presentItem, timestamp } from '../http/presenter.ts';
import { presentRow } from '../http/writeItemsHandler.ts';
import { type Account, initialUnits } from '../item/account.ts';
import { alreadyExists, CatalogError, type ErrorCode, validationFailed } from '../item/errors.ts';
import type { FieldChange } from '../item/fieldChanges.ts';
import { applyChange, type Item } from '../item/item.ts';
import type { JsonObject } from '../item/json.ts';
import { itemChange, newItemFields, parseBody } from '../item/readBody.ts';

/** Only the requests are written by hand. The service computes the responses, so no example can contradict it. */

const category = { id: 1, name: 'General' };

const account: Account = {
  id: 'example',
  defaultCategory: category.id,
  defaultTax: 0,
  categories: new Map([[category.id, { name: category.name, archived: false }]]),
  units: initialUnits,
};

const caller = { account: account.id, user: 'example', permissions, expiresAt: 0 };

const present = (item: Item): JsonObject => itemAnswer({ item, categoryName: category.name }, caller).body;

/** Without an identifier, so that it can be tried twice without a conflict. */
export const newItem = {
  name: 'Oak desk',
  value: 499.9,
  tag: 'office',
  metadata: { color: 'natural' },
} as const satisfies JsonObject;

const itemChanges = {
  value: 479.9,
  tag: null,
  metadata: { color: 'black', legs: 4 },
} as const satisfies JsonObject;

const createdAt = Date.UTC(2026, 10, 20, 23, 10);

const item: Item = {
  ...newItemFields(parseBody(newItem), [], account),
  id: 1,
  revision: 1,
  createdAt,
  updatedAt: createdAt,
  updatedBy: caller.user,
};

const updated = applyChange(item, itemChange(parseBody(itemChanges), [], account), account);

const newCategory = { id: 2, name: 'Outdoor', archived: false };
const unit = { unit: 'pair', decimals: 0 };
const defaultsChanges = { category: category.id, tax: 2.5 };

const batch = {
  match: { field: 'sku', unchanged: 'skip' },
  rows: [
    { sku: 'SHELF-1', name: 'Oak shelf', value: 89.5 },
    { sku: 'SHELF-2', name: 'Ash shelf', value: 79.5 },
    { id: 17, active: false },
  ],
} as const satisfies JsonObject;

export const requestExamples = {
  NewItem: newItem,
  ItemChanges: itemChanges,
  Batch: batch,
  NewCategory: { name: newCategory.name },
  CategoryChanges: { archived: true },
  Unit: unit,
  DefaultsChanges: defaultsChanges,
};

const fieldChange: FieldChange = { field: 'value', from: item.value, to: updated.value };
const change: RecordedChange = {
  ...{ ...updated, number: createdAt, item: item.id, kind: 'updated', fields: [fieldChange] },
  recordedAt: updated.updatedAt + 1_000,
};

export const responseExamples: Readonly<Record<Operation, JsonObject>> = {
  createItem: present(item),
  updateItem: present(updated),
  writeItems: {
    data: [
      { item: { ...item, id: 2 }, isCreated: true, replayed: false },
      { item: updated, isCreated: false, replayed: false, isUnchanged: true },
      new CatalogError('ITEM_NOT_FOUND'),
    ].map((outcome) => presentRow(outcome, false, caller)),
  },
  getItem: present(updated),
  listItems: { data: [presentItem(updated, category.name, caller)], next_cursor: null },
  listChanges: {
    data: [presentChange(change, caller)],
    next_cursor: encodeCursor({ name: '', id: change.number + 1 }),
    has_more: false,
    read_at: timestamp(createdAt + 60_000),
  },
  listItemChanges: { data: [presentChange(change, caller)], next_cursor: null },
  getCatalog: { data: presentCatalog(account, caller) },
  createCategory: { data: newCategory },
  updateCategory: { data: { ...newCategory, archived: true } },
  createUnit: { data: unit },
  updateDefaults: { data: defaultsChanges },
};

/** The defaults of a create. Some of them depend on the account. */
export const defaults = newItemFields(parseBody({ name: newItem.name }), [], account);

function invalidFields() {
  const [first, ...others] = parseBody({ name: ' ', cost: -1, metadata: { size: { width: 1e300 } } }).invalid;
  if (first === undefined) throw new Error('The example of invalid fields is valid');
  return validationFailed([first, ...others]);
}

/** Errors whose response has more than a code and a message. */
const errorsWithDetails: Partial<Record<ErrorCode, CatalogError>> = {
  VALIDATION_FAILED: invalidFields(),
  ITEM_ALREADY_EXISTS: alreadyExists([{ field: 'sku', item: 17 }]),
  PRECONDITION_FAILED: new PreconditionFailed({ item: updated, categoryName: category.name }),
  INVALID_REQUEST: new CatalogError('INVALID_REQUEST', { message: 'Invalid header: If-Match.' }),
};

export const errorExample = (code: ErrorCode): JsonObject =>
  presentError(errorsWithDetails[code] ?? new CatalogError(code), caller).body as JsonObject;
