import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { OperationFunction } from '../../lib/http/operations.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { changesPartition, keys, listPartition, nameIndex } from '../../lib/store/records/keys.ts';

const keyPatterns = {
  configuration: keys.account('*').pk,
  item: keys.item('*', 0).pk,
  names: listPartition('*'),
  counter: keys.counter('*').pk,
  idempotency: keys.idempotency('*', '*').pk,
  token: keys.token('*').pk,
  changes: changesPartition('*'),
  /** Everything that requests for items write. Account ids cannot contain `#`, so this excludes the configuration. */
  written: `${keys.account('*').pk}#*`,
} as const;

/** The actions that a function may perform, limited to records whose partition key matches the pattern. */
export interface TableAccess {
  readonly actions: readonly `dynamodb:${string}`[];
  readonly keys: string;
  /** Denies the same for keys that match this pattern too. */
  readonly except?: string;
  /** Grants access to the table of changes instead of the one with everything else. */
  readonly ofChanges?: true;
  /** Grants access to this index instead of the table. The pattern then applies to its partition keys. */
  readonly index?: string;
}

/** Without the exception, a function could list the items of every account. */
const readConfiguration: TableAccess = {
  actions: ['dynamodb:Query'],
  keys: keyPatterns.configuration,
  except: keyPatterns.written,
};

const readItem: TableAccess = { actions: ['dynamodb:GetItem'], keys: keyPatterns.item };

const readKey: TableAccess = { actions: ['dynamodb:GetItem'], keys: keyPatterns.idempotency };

const readGuards = identifierNames.map(
  (name): TableAccess => ({ actions: ['dynamodb:GetItem'], keys: keys.guard('*', name, '*').pk }),
);

/** One pattern for all records of a transaction, because IAM may evaluate all of its keys together. */
const write = (...actions: TableAccess['actions']): TableAccess => ({ actions, keys: keyPatterns.written });

const update = write('dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem');

const changes = (...actions: TableAccess['actions']): TableAccess => ({
  actions,
  keys: keyPatterns.changes,
  ofChanges: true,
});

/**
 * Access of the functions that configure accounts, one of which the API does not invoke: the configuration of accounts
 * and nothing else of them.
 */
export const accountAccess: readonly TableAccess[] = [
  {
    actions: ['dynamodb:Query', 'dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'],
    keys: keyPatterns.configuration,
    except: keyPatterns.written,
  },
];

/**
 * Access to the table for every function, by the name of its file in `functions/`: those of the operations, and the
 * authorizer. To add a function, start here.
 */
export const functionAccess = {
  createItem: [
    readConfiguration,
    readKey,
    { actions: ['dynamodb:UpdateItem'], keys: keyPatterns.counter },
    write('dynamodb:PutItem'),
  ],
  updateItem: [readConfiguration, readItem, update],
  // It reads a guard and a key in one transaction.
  writeItems: [readConfiguration, write('dynamodb:GetItem'), update],
  getItem: [readConfiguration, readItem],
  listItems: [
    readConfiguration,
    { actions: ['dynamodb:Query'], keys: keyPatterns.names, index: nameIndex.name },
    { actions: ['dynamodb:BatchGetItem', 'dynamodb:GetItem'], keys: keyPatterns.item },
    ...readGuards,
  ],
  listChanges: [readConfiguration, changes('dynamodb:GetItem', 'dynamodb:Query')],
  getCatalog: [readConfiguration],
  configureCatalog: accountAccess,
  authorizer: [{ actions: ['dynamodb:GetItem'], keys: keyPatterns.token }],
} satisfies Record<OperationFunction, readonly TableAccess[]> & Record<string, readonly TableAccess[]>;

/** Access of the function that records changes, besides the stream. */
export const recordingAccess = [changes('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem')];

export type FunctionName = keyof typeof functionAccess;

export const functionNames = Object.keys(functionAccess) as FunctionName[];

/** Lets DynamoDB use the table's key on behalf of the function, and allows nothing else. */
export const keyAccess = (key: IKey): PolicyStatement =>
  new PolicyStatement({
    actions: [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKey',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': `dynamodb.${key.env.region}.amazonaws.com` } },
  });
