import type { JsonObject } from '../../lib/item/json.ts';
import { created, differences, stateOf } from '../support/items/itemModel.ts';
import type { History, Operation } from './history.ts';
import { accountOf, isCreate, isOpen, itemsOf } from './operations.ts';

const missingFrom = (texts: readonly string[], others: readonly string[]): string[] =>
  texts.filter((text) => !others.includes(text));

const doubled = (texts: readonly string[]): string[] => texts.filter((text, index) => texts.indexOf(text) !== index);

/** One create creates at most one item, however often it is repeated with its key. A refused one creates none. */
export function checkCreates(history: History): string[] {
  const creates = Map.groupBy(history.operations.filter(isCreate), ({ body }) => body['name']);
  return [...creates].flatMap(([name, attempts]) => {
    const items = itemsOf(history).filter((record) => record['name'] === name);
    const fulfilled = attempts.filter(({ response }) => response?.status === 201);
    return [
      ...(items.length > 1 ? [`${items.length} items were created by one create: ${name}`] : []),
      ...(items.length > 0 && fulfilled.length === 0 && !attempts.some(isOpen)
        ? [`a refused create left ${name}`]
        : []),
      ...(items.length === 0 && fulfilled.length > 0 ? [`a created item does not exist: ${name}`] : []),
      ...fulfilled.flatMap((operation) =>
        items.length === 0 || items.some((record) => isResponseOf(operation, record))
          ? []
          : [`a create was answered with another item or state: ${name}`],
      ),
      ...items.flatMap((record) =>
        accountOf(record) === attempts[0]?.account ? [] : [`an item crossed accounts: ${name}`],
      ),
    ];
  });
}

/** Whether a create was answered with its item as created. */
const isResponseOf = ({ body, response }: Operation, record: JsonObject): boolean =>
  response?.data['id'] === record['id'] &&
  response?.revision === 1 &&
  differences(stateOf(response.data), created(body)) === '';

/** Each key of a created item is stored with that item throughout the history, and no other keys are stored. */
export function checkStoredKeys(history: History): string[] {
  const creates = history.operations.filter((operation) => isCreate(operation) && operation.key !== undefined);
  const keyed = new Set(creates.map(({ body }) => body['name']));
  const text = (account: string, { name, id }: JsonObject) => `${account} ${name} ${id}`;
  const expected = itemsOf(history)
    .filter(({ name }) => keyed.has(name))
    .map((record) => text(accountOf(record), record));
  const actual = history.records
    .filter(({ sk }) => sk === 'REQUEST')
    .map((record) => text(accountOf(record), record['item'] as JsonObject));
  return [
    ...missingFrom(expected, actual).map((item) => `the key of a created item is not stored: ${item}`),
    ...missingFrom(actual, expected).map((item) => `a stored key created no item: ${item}`),
    ...doubled(actual).map((item) => `two keys are stored for one item: ${item}`),
  ];
}
