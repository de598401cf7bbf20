import type { Operation } from '../../lib/http/operations.ts';
import { keyPatterns, nameIndex } from '../../lib/store/records/keys.ts';

/** The actions that a function may perform, limited to records whose partition key matches the pattern. */
export interface TableAccess {
  readonly actions: readonly `dynamodb:${string}`[];
  readonly keys: string;
  /** Grants access to this index instead of the table. The pattern then applies to its partition keys. */
  readonly index?: string;
}

const readConfiguration: TableAccess = { actions: ['dynamodb:Query'], keys: keyPatterns.configuration };

/** One pattern for all records that a transaction writes, because IAM may evaluate all of its keys together. */
const write = (...actions: TableAccess['actions']): TableAccess => ({ actions, keys: keyPatterns.written });

/**
 * Access to the table for every function, by the name of its file in `functions/`: one per API operation, and the
 * authorizer. To add a function, start here.
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
