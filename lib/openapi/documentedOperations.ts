import type { ResponseHeader } from '../http/headers.ts';
import type { Operation } from '../http/operations.ts';
import type { ErrorCode } from '../item/errors.ts';
import type { requestExamples } from './examples.ts';
import type { ParameterName } from './parameters.ts';

/** What only the document says of an operation. */
interface DocumentedOperation {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly ParameterName[];
  readonly requestBody?: keyof typeof requestExamples;
  readonly success: string;
  readonly schema:
    | `${'Item' | 'Batch' | 'Catalog' | 'Category' | 'Unit' | 'Defaults'}Response`
    | `${'Item' | 'Change' | 'ItemChange'}List`;
  /** Headers of that response that not every response has. */
  readonly headers?: readonly ResponseHeader[];
  /** In addition to {@link commonErrors}, and to {@link bodyErrors} if the operation has a body. */
  readonly errors?: readonly ErrorCode[];
}

export const documentedOperations: Readonly<Record<Operation, DocumentedOperation>> = {
  createItem: {
    summary: 'Create an item',
    description: 'Omitted fields get default values. A request that fails with a 4xx error creates nothing.',
    parameters: ['IdempotencyKey'],
    requestBody: 'NewItem',
    success: 'The new item.',
    schema: 'ItemResponse',
    headers: ['etag', 'location', 'idempotency-replayed'],
    errors: ['ITEM_ALREADY_EXISTS', 'IDEMPOTENCY_KEY_REUSED'],
  },
  updateItem: {
    summary: 'Update an item partially',
    description: 'Only the fields that are sent change. Send `If-Match` to avoid overwriting others’ changes.',
    parameters: ['ItemId', 'IfMatch', 'IdempotencyKey'],
    requestBody: 'ItemChanges',
    success: 'The updated item. If the `Idempotency-Key` was used before, the item as it is now.',
    schema: 'ItemResponse',
    headers: ['etag', 'idempotency-replayed'],
    errors: [
      'NOTHING_TO_UPDATE',
      'ITEM_NOT_FOUND',
      'ITEM_ALREADY_EXISTS',
      'PRECONDITION_FAILED',
      'IDEMPOTENCY_KEY_REUSED',
    ],
  },
  writeItems: {
    summary: 'Create and update items',
    description:
      'Each row is a create or an update of its own: if one is refused, the others are still carried out. With an `Idempotency-Key`, each row has a key of its own, made from it and the row’s place.',
    parameters: ['IdempotencyKey'],
    requestBody: 'Batch',
    success: 'The result of each row, in the order of the rows.',
    schema: 'BatchResponse',
  },
  getItem: {
    summary: 'Read an item',
    description: 'Returns `cost` only if the token has the permission `catalog:cost:read`.',
    parameters: ['ItemId'],
    success: 'The item.',
    schema: 'ItemResponse',
    headers: ['etag'],
    errors: ['ITEM_NOT_FOUND'],
  },
  listItems: {
    summary: 'List items',
    description: 'Lists the account’s items by name, in pages. Inactive items are excluded by default.',
    parameters: ['listParameters'],
    success: 'A page of items.',
    schema: 'ItemList',
  },
  listChanges: {
    summary: 'List what has changed',
    description:
      'Lists the changes of the account’s items in the order in which they were recorded, within seconds of the writes. Without `cursor` and `from`, the page is empty, and its `next_cursor` leads to what changes from now on.',
    parameters: ['ChangesCursor', 'ChangesFrom', 'ChangesLimit'],
    success: 'A page of changes.',
    schema: 'ChangeList',
    errors: ['CHANGES_EXPIRED'],
  },
  listItemChanges: {
    summary: 'List what has changed in an item',
    description: 'Lists the changes of an item that are kept, newest first, also after it was removed.',
    parameters: ['ItemId', 'ChangesCursor', 'ChangesLimit'],
    success: 'A page of changes.',
    schema: 'ItemChangeList',
    errors: ['ITEM_NOT_FOUND'],
  },
  getCatalog: {
    summary: 'Get reference data',
    description:
      'Returns what an item form needs: categories, units, default values, limits, and the caller’s permissions. Changes to the account appear within a minute, and at once if the token has the permission `catalog:admin`.',
    success: 'The reference data.',
    schema: 'CatalogResponse',
  },
  createCategory: {
    summary: 'Add a category',
    description: 'Names are not unique: the same request again adds another category.',
    requestBody: 'NewCategory',
    success: 'The new category.',
    schema: 'CategoryResponse',
  },
  updateCategory: {
    summary: 'Rename, archive or unarchive a category',
    description: 'Items keep an archived category. The default category cannot be archived.',
    parameters: ['CategoryId'],
    requestBody: 'CategoryChanges',
    success: 'The category.',
    schema: 'CategoryResponse',
    errors: ['NOTHING_TO_UPDATE', 'CATEGORY_NOT_FOUND'],
  },
  createUnit: {
    summary: 'Register a unit',
    description:
      'A unit cannot be changed or removed, because quantities are rounded by it. It must not have invisible characters, and is stored in Unicode’s composed form (NFC).',
    requestBody: 'Unit',
    success: 'The new unit.',
    schema: 'UnitResponse',
    errors: ['UNIT_ALREADY_EXISTS'],
  },
  updateDefaults: {
    summary: 'Set the default category and tax',
    description: 'A new item gets them if its request names none.',
    requestBody: 'DefaultsChanges',
    success: 'The defaults.',
    schema: 'DefaultsResponse',
    errors: ['NOTHING_TO_UPDATE'],
  },
};

const commonErrors: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
];

const bodyErrors: readonly ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const { requestBody, errors = [] } = documentedOperations[operation];
  return [...commonErrors, ...(requestBody === undefined ? [] : bodyErrors), ...errors];
}
