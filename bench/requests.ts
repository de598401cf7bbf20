import { type FunctionName, functionNames } from '../infra/constructs/functionAccess.ts';
import { createToken } from '../lib/access/tokenFormat.ts';
import { gatewayEvent, testCaller } from '../test/support/lambda/gatewayEvent.ts';
import { placeholders, type Request } from './turn.ts';

const { number, id } = placeholders;

interface Operation {
  readonly title: string;
  readonly function: FunctionName;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether its path names one of the items that exist. */
  readonly ofItem?: boolean;
}

const create = { name: `Chair ${number}`, value: 12.5 };
const identifiers = { sku: `S${number}`, pn: `P${number}` };
const createItem = { function: 'createItem', body: create } as const;
const updateItem = { function: 'updateItem', ofItem: true } as const;
const headers = { 'Idempotency-Key': `key-${number}` };

/** The measured requests. `createIdentifiers` creates the items that are updated, read and listed. */
export const operations = {
  create: { title: 'create', ...createItem },
  createIdentifiers: { title: 'create with sku and pn', ...createItem, body: { ...create, ...identifiers } },
  createKeyed: { title: 'create with Idempotency-Key', ...createItem, headers },
  createKeyedIdentifiers: {
    title: 'create with sku, pn and Idempotency-Key',
    ...createItem,
    body: { ...create, ...identifiers },
    headers,
  },
  update: { title: 'update of two fields', ...updateItem, body: { value: 13.5, description: 'Oak' } },
  updateKeyed: {
    title: 'update with Idempotency-Key',
    ...updateItem,
    body: { value: 13.5, description: 'Oak' },
    headers,
  },
  updateMetadata: { title: 'merge into metadata', ...updateItem, body: { metadata: { color: 'black', legs: 4 } } },
  updateUnchanged: {
    title: 'update with unchanged sku and pn',
    ...updateItem,
    body: { value: 13.5, sku: `S${id}`, pn: `P${id}` },
  },
  updateChanged: { title: 'update that changes the sku', ...updateItem, body: { sku: `T${number}` } },
  getItem: { title: 'read an item', function: 'getItem', ofItem: true },
  listItems: { title: 'list 50 items', function: 'listItems' },
  getCatalog: { title: 'get reference data', function: 'getCatalog' },
  authorizer: { title: 'authorize a token', function: 'authorizer' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The operations of a function. */
export const operationsOf = (name: FunctionName): OperationName[] =>
  (Object.keys(operations) as OperationName[]).filter((operation) => operations[operation].function === name);

/** The functions of these operations. */
export const measuredFunctions = functionNames.filter((name) => operationsOf(name).length > 0);

/** A well-formed token; the stub knows any. */
const token = createToken();

/** The request of an operation to its function, as API Gateway passes it on. */
export function functionRequest(name: OperationName, account: string): Request {
  const operation: Operation = operations[name];
  if (name === 'authorizer') {
    const methodArn = 'arn:aws:execute-api:us-east-1:1:api/live/POST/items';
    const event = {
      type: 'REQUEST',
      methodArn,
      multiValueHeaders: { authorization: [`Bearer ${token}`] },
      requestContext: { requestId: 'bench' },
    };
    return { operation: name, event: JSON.stringify(event) };
  }
  const event = gatewayEvent({
    caller: testCaller(account, { expiresAt: Math.floor(Date.now() / 1_000) + 24 * 60 * 60 }),
    body: operation.body === undefined ? null : JSON.stringify(operation.body),
    headers: operation.headers ?? {},
    id: operation.ofItem === true ? id : undefined,
  });
  return { operation: name, event: JSON.stringify(event), status: operation.function === 'createItem' ? 201 : 200 };
}
