import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { OperationFunction } from '../../lib/http/operations.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { changesPartition, keys, listPartition, nameIndex } from '../../lib/store/records/keys.ts';
import type { CatalogTable } from './catalogTable.ts';

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

/** What the role of a function allows it to do with the tables. */
export type TableAccess = (tables: CatalogTable) => PolicyStatement[];

type Actions = readonly `dynamodb:${string}`[];

/** Allows actions on the records of a table or an index whose partition key matches a pattern. */
const allowOn = (resource: string, keys: string, actions: Actions): PolicyStatement =>
  new PolicyStatement({
    actions: [...actions],
    resources: [resource],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] } },
  });

const allow =
  (keys: string, ...actions: Actions): TableAccess =>
  ({ tableArn }) => [allowOn(tableArn, keys, actions)];

const allowInChanges =
  (...actions: Actions): TableAccess =>
  ({ changes }) => [allowOn(changes.tableArn, keyPatterns.changes, actions)];

/** Without the exception, a function could list the items of every account. */
const allowInConfiguration =
  (...actions: Actions): TableAccess =>
  ({ tableArn }) => [
    allowOn(tableArn, keyPatterns.configuration, actions),
    new PolicyStatement({
      effect: Effect.DENY,
      actions: [...actions],
      resources: [tableArn],
      conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': [keyPatterns.written] } },
    }),
  ];

const listNames: TableAccess = ({ tableArn }) => [
  allowOn(`${tableArn}/index/${nameIndex.name}`, keyPatterns.names, ['dynamodb:Query']),
];
const readConfiguration = allowInConfiguration('dynamodb:Query');
const readItem = allow(keyPatterns.item, 'dynamodb:GetItem');
const readGuards = identifierNames.map((name) => allow(keys.guard('*', name, '*').pk, 'dynamodb:GetItem'));

/** One pattern for all records of a transaction, because IAM may evaluate all of its keys together. */
const write = (...actions: Actions): TableAccess => allow(keyPatterns.written, ...actions);
const update = write('dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem');

/** Access of the function that opens accounts, which the API does not invoke. */
export const openingAccess = [allowInConfiguration('dynamodb:ConditionCheckItem', 'dynamodb:PutItem')];

/**
 * Access to the table for every function, by the name of its entry file: those of the operations, and the
 * authorizer. To add a function, start here.
 */
export const functionAccess = {
  createItem: [
    readConfiguration,
    allow(keyPatterns.idempotency, 'dynamodb:GetItem'),
    allow(keyPatterns.counter, 'dynamodb:UpdateItem'),
    write('dynamodb:PutItem'),
  ],
  updateItem: [readConfiguration, readItem, update],
  // It reads a guard and a key in one transaction.
  writeItems: [readConfiguration, write('dynamodb:GetItem'), update],
  getItem: [readConfiguration, readItem],
  listItems: [
    readConfiguration,
    listNames,
    allow(keyPatterns.item, 'dynamodb:BatchGetItem', 'dynamodb:GetItem'),
    ...readGuards,
  ],
  listChanges: [readConfiguration, allowInChanges('dynamodb:GetItem', 'dynamodb:Query')],
  getCatalog: [readConfiguration],
  configureCatalog: [
    allowInConfiguration('dynamodb:Query', 'dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'),
  ],
  authorizer: [allow(keyPatterns.token, 'dynamodb:GetItem')],
} satisfies Record<OperationFunction, readonly TableAccess[]> & Record<string, readonly TableAccess[]>;

/** Access of the function that records changes, besides the stream. */
export const recordingAccess = [allowInChanges('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem')];

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
