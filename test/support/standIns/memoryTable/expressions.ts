/**
 * The condition and update expressions of DynamoDB that the store uses, as JavaScript. What is not known here throws, so
 * that an in-memory table never accepts what it does not support.
 */
import { sdkError } from '../sdkError.ts';

export type StoredRecord = Readonly<Record<string, unknown>>;

/** The names and values that placeholders stand for. */
export interface Bindings {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
}

type Reader<Value> = (record: StoredRecord, bindings: Bindings) => Value;

const remembered = <Value>(read: (text: string) => Reader<Value>) => {
  const known = new Map<string, Reader<Value>>();
  return (text: string): Reader<Value> => {
    const reader = known.get(text) ?? read(text);
    known.set(text, reader);
    return reader;
  };
};

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The functions that expressions can call. An attribute that is not there is undefined. */
const functions = {
  attribute_exists: (value: unknown) => value !== undefined,
  attribute_not_exists: (value: unknown) => value === undefined,
  begins_with: (value: unknown, beginning: string) => typeof value === 'string' && value.startsWith(beginning),
  if_not_exists: (value: unknown, other: unknown) => value ?? other,
  size: (value: unknown) => (isMap(value) ? Object.keys(value).length : undefined),
};

/** The names on the path to an attribute. */
const namesOn = (path: string, { ExpressionAttributeNames = {} }: Bindings): string[] =>
  path.split('.').map((part) => ExpressionAttributeNames[part] ?? part);

/** Reads a value, or whether a condition is met. */
function operand(text: string): Reader<unknown> {
  const script = text
    .replaceAll(/(#\S+) IN \(([^)]*)\)/g, '[$2].includes($1)')
    .replaceAll(' = ', ' === ')
    .replaceAll(' AND ', ' && ')
    .replaceAll(' OR ', ' || ')
    .replaceAll('NOT ', '!')
    .replaceAll(/#\w+(\.#\w+)*/g, 'attribute("$&")')
    .replaceAll(/:\w+/g, 'values["$&"]');
  const evaluate = new Function(...Object.keys(functions), 'attribute', 'values', `return ${script}`);
  return (record, bindings) => {
    const attribute = (path: string) =>
      namesOn(path, bindings).reduce<unknown>(
        (value, name) => (isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
        record,
      );
    return evaluate(...Object.values(functions), attribute, bindings.ExpressionAttributeValues ?? {});
  };
}

/** Whether a record meets a condition. An absent record counts as an empty one. */
export const conditionOf = remembered((text): Reader<boolean> => {
  const condition = operand(text);
  return (record, bindings) => condition(record, bindings) === true;
});

/** Changes a copy of the old record. */
type Action = (next: Record<string, unknown>, old: StoredRecord, bindings: Bindings) => void;

const clauses: Readonly<Record<string, (text: string) => Action>> = {
  SET: (text) => {
    const [path = '', expression = ''] = text.split(' = ');
    const value = operand(expression);
    return (next, old, bindings) => {
      const { parent, name } = placeOf(next, namesOn(path, bindings));
      parent[name] = value(old, bindings);
      if (Number.isNaN(parent[name]))
        throw sdkError('ValidationException', 400, { message: 'An operand of the update is no number' });
    };
  },
  REMOVE: (path) => (next, _old, bindings) => {
    const { parent, name } = placeOf(next, namesOn(path, bindings));
    delete parent[name];
  },
  ADD: (text) => {
    const [path = '', amount = ''] = text.split(' ');
    const value = operand(amount);
    return (next, old, bindings) => {
      const { parent, name } = placeOf(next, namesOn(path, bindings));
      parent[name] = Number(parent[name] ?? 0) + Number(value(old, bindings));
    };
  },
};

/** The record after an update. */
export const updateOf = remembered((text): Reader<StoredRecord> => {
  const actions = text.split(/ (?=(?:SET|REMOVE|ADD) )/).flatMap((clause) => {
    const [keyword = ''] = clause.split(' ', 1);
    const read = clauses[keyword];
    if (read === undefined) throw new Error(`The table in memory cannot read the expression ${text}`);
    // A comma in parentheses is between the arguments of a function.
    const parts = clause.slice(keyword.length + 1).split(/, (?![^(]*\))/);
    return parts.map(read);
  });
  return (old, bindings) => {
    const next = { ...old };
    for (const act of actions) act(next, old, bindings);
    return next;
  };
});

/** A copy of the map that contains an attribute, in place of the map, and the attribute's name in it. */
function placeOf(record: Record<string, unknown>, path: readonly string[]) {
  let parent = record;
  for (const part of path.slice(0, -1)) {
    const map = parent[part];
    if (!isMap(map)) throw sdkError('ValidationException', 400, { message: 'The path is not there' });
    const copy = { ...map };
    parent[part] = copy;
    parent = copy;
  }
  return { parent, name: path.at(-1) ?? '' };
}
