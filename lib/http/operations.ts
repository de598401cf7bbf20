import type { Permission } from '../access/caller.ts';

interface OperationDefinition {
  /** Not DELETE, whose conditions are in `docs/decisions/only-operators-remove-items.md`. */
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** The function that serves it, if that does not have its name. */
  readonly function?: 'configureCatalog' | 'listChanges';
  /** Null if any valid token is enough. */
  readonly permission: Permission | null;
  /** Of a success. If omitted, 200. */
  readonly status?: 201;
}

/** The path prefix of all operations (spec 4). */
const prefix = '/api/v1/api/v1';
const itemsPath = `${prefix}/items`;
const catalogPath = `${prefix}/catalog`;

/** These share a function, because they are so rare that separate ones would always start cold. */
const configuring = { function: 'configureCatalog', permission: 'catalog:admin' } as const;

/** Every operation of the API. What only the contract says is in `documentedOperations.ts`, which no bundle has. */
export const operations = {
  createItem: { method: 'POST', path: itemsPath, permission: 'catalog:edit', status: 201 },
  updateItem: { method: 'PUT', path: `${itemsPath}/{id}`, permission: 'catalog:edit' },
  writeItems: { method: 'POST', path: `${itemsPath}/batch`, permission: 'catalog:edit' },
  getItem: { method: 'GET', path: `${itemsPath}/{id}`, permission: null },
  listItems: { method: 'GET', path: itemsPath, permission: null },
  listChanges: { method: 'GET', path: `${prefix}/changes`, permission: null },
  listItemChanges: {
    function: 'listChanges',
    method: 'GET',
    path: `${itemsPath}/{id}/changes`,
    permission: null,
  },
  getCatalog: { method: 'GET', path: catalogPath, permission: null },
  createCategory: { ...configuring, method: 'POST', path: `${catalogPath}/categories`, status: 201 },
  updateCategory: { ...configuring, method: 'PUT', path: `${catalogPath}/categories/{id}` },
  createUnit: { ...configuring, method: 'POST', path: `${catalogPath}/units`, status: 201 },
  updateDefaults: { ...configuring, method: 'PUT', path: `${catalogPath}/defaults` },
} as const satisfies Readonly<Record<string, OperationDefinition>>;

export type Operation = keyof typeof operations;

export type OperationFunction = {
  [Name in Operation]: (typeof operations)[Name] extends { function: infer Shared } ? Shared : Name;
}[Operation];

const definitions: Readonly<Record<Operation, OperationDefinition>> = operations;

export const functionServing = (operation: Operation): OperationFunction =>
  definitions[operation].function ?? (operation as OperationFunction);

export const successStatus = (operation: Operation): number => definitions[operation].status ?? 200;

/**
 * The methods that an operation answers: HEAD wherever it answers GET. API Gateway drops the body of the response. If
 * the function left it out, `Content-Length` would be 0 instead of that of GET (RFC 9110 section 8.6).
 */
export function methodsOf(operation: Operation): readonly string[] {
  const { method } = operations[operation];
  return method === 'GET' ? [method, 'HEAD'] : [method];
}

export const itemPath = (id: number): string => operations.updateItem.path.replace('{id}', String(id));
