import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as fc from 'fast-check';

/** Random commands of the kinds that the store sends, on a few records. */

const key = fc.constantFrom('a', 'b', 'c').map((sk) => ({ pk: 'p', sk }));
const names = { '#0': 'pk', '#1': 'n', '#2': 't', '#3': 'm', '#4': 'a.b', '#5': 'revision', '#6': 'closed_until' };
const path = fc.constantFrom('#0', '#1', '#2', '#3', '#3.#1', '#3.#4', '#5', '#6', 'n');
const value = fc.oneof(
  fc.nat(3),
  fc.constantFrom('', 'x', 'y', null, true, false),
  fc.constant({ n: 1 }),
  fc.constant([1]),
);

/** An expression with the values of its own that it speaks of. */
interface Written {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A value's place, to be numbered when all parts of a command are there. */
const here = ':?';

const comparison: fc.Arbitrary<Written> = fc.oneof(
  path.map((name) => ({ text: `attribute_exists(${name})`, values: [] })),
  path.map((name) => ({ text: `attribute_not_exists(${name})`, values: [] })),
  fc.record({ name: path, value }).map((one) => ({ text: `${one.name} = ${here}`, values: [one.value] })),
  fc
    .record({ name: path, sign: fc.constantFrom('<', '<=', '>', '>='), value: fc.nat(3) })
    .map((one) => ({ text: `${one.name} ${one.sign} ${here}`, values: [one.value] })),
  fc
    .record({ name: path, values: fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }) })
    .map(({ name, values }) => ({ text: `${name} IN (${values.map(() => here)})`, values })),
  fc.nat(2).map((most) => ({ text: `size(#3) <= ${here}`, values: [most] })),
);

const joined = (parts: readonly Written[], between: string): Written => ({
  text: parts.map(({ text }) => text).join(between),
  values: parts.flatMap(({ values }) => values),
});

const alternatives = fc
  .array(comparison, { minLength: 1, maxLength: 2 })
  .map((parts) => joined(parts, ' OR '))
  .map((either) => ({ ...either, text: `(${either.text})` }));

const condition: fc.Arbitrary<Written> = fc.oneof(
  fc.array(fc.oneof(comparison, alternatives), { minLength: 1, maxLength: 3 }).map((parts) => joined(parts, ' AND ')),
  fc.array(comparison, { minLength: 2, maxLength: 2 }).map((parts) => joined(parts, ' OR ')),
);

const target = fc.constantFrom('#1', '#2', '#3.#1', '#3.#4', '#6');

const update: fc.Arbitrary<Written> = fc
  .record({
    set: fc.uniqueArray(fc.record({ target, value }), { maxLength: 2, selector: (one) => one.target }),
    removed: fc.option(fc.constantFrom('#1', '#2', '#6')),
    counts: fc.boolean(),
  })
  .map(({ set, removed, counts }) => {
    const assigned = set.filter((one) => one.target !== removed);
    const parts = [
      ...(counts ? [{ text: `#5 = #5 + ${here}`, values: [1] }] : []),
      ...assigned.map((one) => ({ text: `${one.target} = ${here}`, values: [one.value] })),
    ];
    const { text, values } = joined(parts, ', ');
    const clauses = [...(parts.length > 0 ? [`SET ${text}`] : []), ...(removed === null ? [] : [`REMOVE ${removed}`])];
    return clauses.length > 0 ? { text: clauses.join(' '), values } : { text: `ADD #5 ${here}`, values: [10] };
  });

/** The expressions of one command, with their values numbered and only the names that they mention. */
function bound(expressions: Readonly<Record<string, Written | undefined>>) {
  const values: Record<string, unknown> = {};
  const number = ({ text, values: own }: Written) => {
    let index = 0;
    return text.replaceAll(here, () => {
      const placeholder = `:${Object.keys(values).length}`;
      values[placeholder] = own[index++];
      return placeholder;
    });
  };
  const texts = Object.entries(expressions).flatMap(([name, written]) =>
    written === undefined ? [] : [[name, number(written)] as const],
  );
  const used = Object.entries(names).filter(([name]) => texts.some(([, text]) => text.includes(name)));
  return {
    ...Object.fromEntries(texts),
    ...(used.length > 0 && { ExpressionAttributeNames: Object.fromEntries(used) }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

const record = fc
  .record(
    { n: value, t: value, m: fc.dictionary(fc.constantFrom('n', 'a.b'), value), revision: fc.nat(2) },
    { requiredKeys: ['m', 'revision'], noNullPrototype: true },
  )
  .map((fields) => JSON.parse(JSON.stringify(fields)) as object);

const put = fc
  .record({ key, record, condition: fc.option(condition, { nil: undefined }) })
  .map(({ key, record, condition }) => ({ Item: { ...key, ...record }, ...bound({ ConditionExpression: condition }) }));
const change = fc
  .record({ key, update, condition: fc.option(condition, { nil: undefined }) })
  .map(({ key, update, condition }) => ({
    Key: key,
    ...bound({ UpdateExpression: update, ConditionExpression: condition }),
  }));
const removal = fc
  .record({ key, condition })
  .map(({ key, condition }) => ({ Key: key, ...bound({ ConditionExpression: condition }) }));

interface Input {
  readonly Key?: { readonly sk: string };
  readonly Item?: { readonly sk: string };
}

/** `Put`, `Update` or `Delete`, and the input of it. */
type Part = Readonly<Record<string, Input>>;
const part: fc.Arbitrary<Part> = fc.oneof(
  put.map((Put) => ({ Put })),
  change.map((Update) => ({ Update })),
  removal.map((Delete) => ({ Delete })),
);

const distinct = fc.uniqueArray(part, {
  minLength: 1,
  maxLength: 3,
  selector: (one) => JSON.stringify(Object.values(one).map(({ Key, Item }) => (Key ?? Item)?.sk)),
});
/** Now and then two parts write to one record, which is an error. */
const transaction = fc.oneof(
  { arbitrary: distinct, weight: 9 },
  { arbitrary: fc.array(part, { minLength: 2, maxLength: 2 }), weight: 1 },
);

/** Makes a command for a table of that name; the token is a transaction's. */
export type MakeCommand = (TableName: string, token: string) => AnyCommand;

export type AnyCommand =
  | GetCommand
  | BatchGetCommand
  | QueryCommand
  | PutCommand
  | UpdateCommand
  | TransactWriteCommand;

const inTable = (part: Part, TableName: string) =>
  Object.fromEntries(Object.entries(part).map(([kind, input]) => [kind, { ...input, TableName }]));

export const makeCommand: fc.Arbitrary<MakeCommand> = fc.oneof(
  key.map(
    (Key): MakeCommand =>
      (TableName) =>
        new GetCommand({ TableName, Key, ConsistentRead: true }),
  ),
  fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: ({ sk }) => sk }).map(
    (Keys): MakeCommand =>
      (TableName) =>
        new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
  ),
  fc.constant<MakeCommand>(
    (TableName) =>
      new QueryCommand({
        TableName,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': 'pk' },
        ExpressionAttributeValues: { ':pk': 'p' },
      }),
  ),
  {
    arbitrary: put.map(
      (input): MakeCommand =>
        (TableName) =>
          new PutCommand({ ...input, TableName }),
    ),
    weight: 3,
  },
  {
    arbitrary: change.map(
      (input): MakeCommand =>
        (TableName) =>
          new UpdateCommand({ ...input, TableName, ReturnValues: 'ALL_NEW' }),
    ),
    weight: 4,
  },
  {
    arbitrary: transaction.map(
      (parts): MakeCommand =>
        (TableName, ClientRequestToken) =>
          new TransactWriteCommand({ TransactItems: parts.map((one) => inTable(one, TableName)), ClientRequestToken }),
    ),
    weight: 4,
  },
);
