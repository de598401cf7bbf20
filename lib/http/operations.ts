import type { Permission } from '../access/permissions.ts';
import type { ErrorCode } from '../item/errors.ts';
import type { ResponseHeader } from './headers.ts';
import type { ParameterName } from './openapi/parameters.ts';

export interface OperationDefinition {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** The function that serves it, if that does not have its name. */
  readonly function?: 'configureCatalog' | 'listChanges';
  /** Null if any valid token is enough. */
  readonly permission: Permission | null;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  /** A schema of the OpenAPI document. */
  readonly requestBody?: 'NewItem' | 'ItemChanges' | 'NewCategory' | 'CategoryChanges' | 'Unit' | 'DefaultsChanges';
  readonly success: {
    readonly status: number;
    readonly description: string;
    /** A schema of the OpenAPI document. */
    readonly schema:
      | `${'Item' | 'Catalog' | 'Category' | 'Unit' | 'Defaults'}Response`
      | `${'Item' | 'Change' | 'ItemChange'}List`;
    /** Headers that not every response has. */
    readonly headers: readonly ResponseHeader[];
  };
  /** In addition to {@link commonErrors}, and to {@link bodyErrors} if the operation has a body. */
  readonly errors: readonly ErrorCode[];
}

/** The path prefix of all operations (spec 4). */
const prefix = '/api/v1/api/v1';
const itemsPath = `${prefix}/items`;
const catalogPath = `${prefix}/catalog`;

/** These share a function, because they are so rare that each of its own would always start cold. */
const configuring = { function: 'configureCatalog', permission: 'catalog:admin' } as const;

/**
 * Every operation of the API. The handlers, the stack, the local gateway (through the stack's template), the metrics
 * and the OpenAPI document read what they need from here. The texts take less than 4 KB of each bundle.
 */
export const operations = {
  createItem: {
    method: 'POST',
    path: itemsPath,
    permission: 'catalog:edit',
    summary: 'Create an item',
    description: 'Omitted fields get default values. A request that fails with a 4xx error creates nothing.',
    parameters: ['IdempotencyKey'],
    requestBody: 'NewItem',
    success: {
      status: 201,
      description: 'The new item.',
      schema: 'ItemResponse',
      headers: ['etag', 'location', 'idempotency-replayed'],
    },
    errors: ['ITEM_ALREADY_EXISTS', 'VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED'],
  },
  updateItem: {
    method: 'PUT',
    path: `${itemsPath}/{id}`,
    permission: 'catalog:edit',
    summary: 'Update an item partially',
    description: 'Only the fields that are sent change. Send `If-Match` to avoid overwriting others’ changes.',
    parameters: ['ItemId', 'IfMatch', 'IdempotencyKey'],
    requestBody: 'ItemChanges',
    success: {
      status: 200,
      description: 'The updated item. If the `Idempotency-Key` was used before, the item as it is now.',
      schema: 'ItemResponse',
      headers: ['etag', 'idempotency-replayed'],
    },
    errors: [
      'NOTHING_TO_UPDATE',
      'ITEM_NOT_FOUND',
      'ITEM_ALREADY_EXISTS',
      'PRECONDITION_FAILED',
      'VALIDATION_FAILED',
      'IDEMPOTENCY_KEY_REUSED',
    ],
  },
  getItem: {
    method: 'GET',
    path: `${itemsPath}/{id}`,
    permission: null,
    summary: 'Read an item',
    description: 'Returns `cost` only if the token has the permission `catalog:cost:read`.',
    parameters: ['ItemId'],
    success: { status: 200, description: 'The item.', schema: 'ItemResponse', headers: ['etag'] },
    errors: ['ITEM_NOT_FOUND', 'VALIDATION_FAILED'],
  },
  listItems: {
    method: 'GET',
    path: itemsPath,
    permission: null,
    summary: 'List items',
    description: 'Lists the account’s items by name, in pages. Inactive items are excluded by default.',
    parameters: ['listParameters'],
    success: { status: 200, description: 'A page of items.', schema: 'ItemList', headers: [] },
    errors: ['VALIDATION_FAILED'],
  },
  listChanges: {
    method: 'GET',
    path: `${prefix}/changes`,
    permission: null,
    summary: 'List what has changed',
    description:
      'Lists the changes of the account’s items in the order in which they were recorded, within seconds of the writes. Without `cursor` and `from`, the page is empty, and its `next_cursor` leads to what changes from now on.',
    parameters: ['ChangesCursor', 'ChangesFrom', 'ChangesLimit'],
    success: { status: 200, description: 'A page of changes.', schema: 'ChangeList', headers: [] },
    errors: ['CHANGES_EXPIRED', 'VALIDATION_FAILED'],
  },
  listItemChanges: {
    function: 'listChanges',
    method: 'GET',
    path: `${itemsPath}/{id}/changes`,
    permission: null,
    summary: 'List what has changed in an item',
    description: 'Lists the changes of an item that are kept, newest first, also after it was removed.',
    parameters: ['ItemId', 'ChangesCursor', 'ChangesLimit'],
    success: { status: 200, description: 'A page of changes.', schema: 'ItemChangeList', headers: [] },
    errors: ['ITEM_NOT_FOUND', 'VALIDATION_FAILED'],
  },
  getCatalog: {
    method: 'GET',
    path: catalogPath,
    permission: null,
    summary: 'Get reference data',
    description:
      'Returns what an item form needs: categories, units, default values, limits, and the caller’s permissions. Changes to the account appear within a minute, and at once if the token has the permission `catalog:admin`.',
    parameters: [],
    success: { status: 200, description: 'The reference data.', schema: 'CatalogResponse', headers: [] },
    errors: ['VALIDATION_FAILED'],
  },
  createCategory: {
    ...configuring,
    method: 'POST',
    path: `${catalogPath}/categories`,
    summary: 'Add a category',
    description: 'Names are not unique: the same request again adds another category.',
    parameters: [],
    requestBody: 'NewCategory',
    success: { status: 201, description: 'The new category.', schema: 'CategoryResponse', headers: [] },
    errors: ['VALIDATION_FAILED'],
  },
  updateCategory: {
    ...configuring,
    method: 'PUT',
    path: `${catalogPath}/categories/{id}`,
    summary: 'Rename, archive or unarchive a category',
    description: 'Items keep an archived category. The default category cannot be archived.',
    parameters: ['CategoryId'],
    requestBody: 'CategoryChanges',
    success: { status: 200, description: 'The category.', schema: 'CategoryResponse', headers: [] },
    errors: ['NOTHING_TO_UPDATE', 'CATEGORY_NOT_FOUND', 'VALIDATION_FAILED'],
  },
  createUnit: {
    ...configuring,
    method: 'POST',
    path: `${catalogPath}/units`,
    summary: 'Register a unit',
    description:
      'A unit cannot be changed or removed, because quantities are rounded by it. It must not have invisible characters, and is stored in Unicode’s composed form (NFC).',
    parameters: [],
    requestBody: 'Unit',
    success: { status: 201, description: 'The new unit.', schema: 'UnitResponse', headers: [] },
    errors: ['UNIT_ALREADY_EXISTS', 'VALIDATION_FAILED'],
  },
  updateDefaults: {
    ...configuring,
    method: 'PUT',
    path: `${catalogPath}/defaults`,
    summary: 'Set the default category and tax',
    description: 'A new item gets them if its request names none.',
    parameters: [],
    requestBody: 'DefaultsChanges',
    success: { status: 200, description: 'The defaults.', schema: 'DefaultsResponse', headers: [] },
    errors: ['NOTHING_TO_UPDATE', 'VALIDATION_FAILED'],
  },
} as const satisfies Readonly<Record<string, OperationDefinition>>;

export type Operation = keyof typeof operations;

/** A function that serves operations. */
export type OperationFunction = {
  [Name in Operation]: (typeof operations)[Name] extends { function: infer Shared } ? Shared : Name;
}[Operation];

/** The function that serves an operation. */
export const functionServing = (operation: Operation): OperationFunction =>
  (operations[operation] as OperationDefinition).function ?? (operation as OperationFunction);

/** Errors that every operation can return. */
export const commonErrors = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
] as const satisfies readonly ErrorCode[];

/** Errors that every operation with a body can return. */
export const bodyErrors = [
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[];

/**
 * The methods that an operation answers: HEAD wherever it answers GET. Its function need not distinguish them, because
 * API Gateway drops the body of a response to HEAD. If the function left it out, `Content-Length` would be 0 instead of
 * the length of the body for GET (RFC 9110 section 8.6).
 */
export function methodsOf(operation: Operation): readonly string[] {
  const { method } = operations[operation];
  return method === 'GET' ? [method, 'HEAD'] : [method];
}

/** The path of an item, for the `Location` header. */
export const itemPath = (id: number): string => operations.updateItem.path.replace('{id}', String(id));
