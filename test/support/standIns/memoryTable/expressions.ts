/**
 * The condition and update expressions of DynamoDB that the store uses. Anything else throws, so that an in-memory
 * table never accepts what it does not support.
 */
import { isDeepStrictEqual } from 'node:util';
import { sdkError } from '../sdkError.ts';
import { Tokens } from './tokens.ts';

export type StoredRecord = Readonly<Record<string, unknown>>;

/** The names and values that placeholders stand for. */
export interface Bindings {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>> | undefined;
}

type Reader<Value> = (record: StoredRecord, bindings: Bindings) => Value;
type Operand = Reader<unknown>;

const remembered = <Value>(read: (tokens: Tokens) => Reader<Value>) => {
  const known = new Map<string, Reader<Value>>();
  return (text: string): Reader<Value> => {
    const reader = known.get(text) ?? read(new Tokens(text));
    known.set(text, reader);
    return reader;
  };
};

/** Whether a record meets a condition. An absent record counts as an empty one. */
export const conditionOf = remembered((tokens): Reader<boolean> => {
  const condition = anyOf(tokens);
  if (tokens.next !== undefined) throw tokens.misread();
  return condition;
});

function anyOf(tokens: Tokens): Reader<boolean> {
  const terms = [allOf(tokens)];
  while (tokens.skip('OR')) terms.push(allOf(tokens));
  return (record, bindings) => terms.some((term) => term(record, bindings));
}

function allOf(tokens: Tokens): Reader<boolean> {
  const terms = [term(tokens)];
  while (tokens.skip('AND')) terms.push(term(tokens));
  return (record, bindings) => terms.every((term) => term(record, bindings));
}

function term(tokens: Tokens): Reader<boolean> {
  if (tokens.skip('NOT')) {
    const negated = term(tokens);
    return (record, bindings) => !negated(record, bindings);
  }
  if (tokens.skip('(')) {
    const inner = anyOf(tokens);
    tokens.take(')');
    return inner;
  }
  const exists = tokens.skip('attribute_exists');
  if (exists || tokens.skip('attribute_not_exists')) {
    const value = inParentheses(tokens);
    return (record, bindings) => (value(record, bindings) !== undefined) === exists;
  }
  return tokens.skip('begins_with') ? beginsWith(tokens) : comparison(tokens);
}

function beginsWith(tokens: Tokens): Reader<boolean> {
  const [value, beginning] = pairInParentheses(tokens);
  return (record, bindings) => {
    const text = value(record, bindings);
    return typeof text === 'string' && text.startsWith(String(beginning(record, bindings)));
  };
}

function pairInParentheses(tokens: Tokens): readonly [Operand, Operand] {
  tokens.take('(');
  const first = operand(tokens);
  tokens.take(',');
  const second = operand(tokens);
  tokens.take(')');
  return [first, second];
}

const comparisons: Readonly<Record<string, (one: number | string, other: number | string) => boolean>> = {
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
};

function comparison(tokens: Tokens): Reader<boolean> {
  const left = operand(tokens);
  if (tokens.skip('IN')) {
    const list = listOf(tokens);
    return (record, bindings) => {
      const value = left(record, bindings);
      return value !== undefined && list.some((item) => isDeepStrictEqual(value, item(record, bindings)));
    };
  }
  const sign = tokens.take();
  const right = operand(tokens);
  if (sign === '=')
    return (record, bindings) => {
      const value = left(record, bindings);
      return value !== undefined && isDeepStrictEqual(value, right(record, bindings));
    };
  const compare = comparisons[sign];
  if (compare === undefined) throw tokens.misread();
  return (record, bindings) => {
    const [one, other] = [left(record, bindings), right(record, bindings)];
    if (typeof one === 'number' && typeof other === 'number') return compare(one, other);
    return typeof one === 'string' && typeof other === 'string' && compare(one, other);
  };
}

function listOf(tokens: Tokens): Operand[] {
  tokens.take('(');
  const list = [operand(tokens)];
  while (tokens.skip(',')) list.push(operand(tokens));
  tokens.take(')');
  return list;
}

function inParentheses(tokens: Tokens): Operand {
  tokens.take('(');
  const inner = operand(tokens);
  tokens.take(')');
  return inner;
}

function operand(tokens: Tokens): Operand {
  if (tokens.skip('size')) {
    const inner = inParentheses(tokens);
    return (record, bindings) => sizeOf(inner(record, bindings));
  }
  if (tokens.skip('if_not_exists')) {
    const [value, other] = pairInParentheses(tokens);
    return (record, bindings) => value(record, bindings) ?? other(record, bindings);
  }
  if (tokens.next?.startsWith(':')) {
    const placeholder = tokens.take();
    return (_record, { ExpressionAttributeValues = {} }) => ExpressionAttributeValues[placeholder];
  }
  const path = pathOf(tokens);
  return (record, bindings) =>
    path(bindings).reduce<unknown>(
      (value, name) => (isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      record,
    );
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sizeOf = (value: unknown): number | undefined => {
  if (isMap(value)) return Object.keys(value).length;
  if (typeof value === 'string') return Buffer.byteLength(value);
  return Array.isArray(value) ? value.length : undefined;
};

/** The names on the path to an attribute. */
function pathOf(tokens: Tokens): (bindings: Bindings) => readonly string[] {
  const parts = [tokens.take()];
  while (tokens.skip('.')) parts.push(tokens.take());
  if (!parts.every((part) => /^#?[A-Za-z_0-9]+$/.test(part))) throw tokens.misread();
  return ({ ExpressionAttributeNames = {} }) =>
    parts.map((part) => (part.startsWith('#') ? (ExpressionAttributeNames[part] ?? part) : part));
}

/** Changes a copy of the old record. */
type Action = (next: Record<string, unknown>, old: StoredRecord, bindings: Bindings) => void;

/** The record after an update. */
export const updateOf = remembered((tokens): Reader<StoredRecord> => {
  const actions: Action[] = [];
  while (tokens.next !== undefined) {
    const readAction = clauses[tokens.take()];
    if (readAction === undefined) throw tokens.misread();
    do actions.push(readAction(tokens));
    while (tokens.skip(','));
  }
  return (old, bindings) => {
    const next = { ...old };
    for (const act of actions) act(next, old, bindings);
    return next;
  };
});

const clauses: Readonly<Record<string, (tokens: Tokens) => Action>> = {
  SET: (tokens) => {
    const path = pathOf(tokens);
    tokens.take('=');
    const value = sum(tokens);
    return (next, old, bindings) => {
      const { parent, name } = placeOf(next, path(bindings));
      parent[name] = value(old, bindings);
    };
  },
  REMOVE: (tokens) => {
    const path = pathOf(tokens);
    return (next, _old, bindings) => {
      const { parent, name } = placeOf(next, path(bindings));
      delete parent[name];
    };
  },
  ADD: (tokens) => {
    const path = pathOf(tokens);
    const amount = operand(tokens);
    return (next, old, bindings) => {
      const { parent, name } = placeOf(next, path(bindings));
      parent[name] = Number(parent[name] ?? 0) + Number(amount(old, bindings));
    };
  },
};

function sum(tokens: Tokens): Operand {
  const first = operand(tokens);
  if (!tokens.skip('+')) return first;
  const second = operand(tokens);
  return (old, bindings) => {
    const numbers = [first(old, bindings), second(old, bindings)];
    if (!numbers.every((number) => typeof number === 'number'))
      throw sdkError('ValidationException', 400, { message: 'An operand of the update is no number' });
    return Number(numbers[0]) + Number(numbers[1]);
  };
}

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
