import type { Operation } from '../../lib/http/routes.ts';
import { keyPatterns, nameIndex } from '../../lib/store/records/keys.ts';

/** What a function may do with the records whose partition key matches the pattern, and with no others. */
export interface TableAccess {
  readonly actions: readonly `dynamodb:${string}`[];
  readonly keys: string;
  /** The index that is read instead of the table; its partition keys then match. */
  readonly index?: string;
}

const readConfiguration: TableAccess = { actions: ['dynamodb:Query'], keys: keyPatterns.configuration };

/** A single pattern for everything that a transaction writes, because IAM may evaluate all of its keys together. */
const write = (...actions: TableAccess['actions']): TableAccess => ({ actions, keys: keyPatterns.written });

/**
 * Every function of the service, by the name of its file in `functions/`, with its access to the table: one for each
 * operation of the API, and the authorizer. A new function starts here.
 */
export const functionAccess = {
  createItem: [
    readConfiguration,
    { actions: ['dynamodb:GetItem'], keys: keyPatterns.idempotency },
    { actions: ['dynamodb:UpdateItem'], keys: keyPatterns.counter },
    write('dynamodb:PutItem'),
  ],
  updateItem: [readConfiguration, write('dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem')],
  getItem: [readConfiguration, { actions: ['dynamodb:GetItem'], keys: keyPatterns.items }],
  listItems: [
    readConfiguration,
    { actions: ['dynamodb:Query'], keys: keyPatterns.names, index: nameIndex.name },
    { actions: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'], keys: keyPatterns.items },
    { actions: ['dynamodb:GetItem'], keys: keyPatterns.skuGuards },
    { actions: ['dynamodb:GetItem'], keys: keyPatterns.pnGuards },
  ],
  getCatalog: [readConfiguration],
  authorizer: [{ actions: ['dynamodb:GetItem'], keys: keyPatterns.tokens }],
} satisfies Record<Operation, readonly TableAccess[]> & Record<string, readonly TableAccess[]>;

export type FunctionName = keyof typeof functionAccess;

export const functionNames = Object.keys(functionAccess) as FunctionName[];
