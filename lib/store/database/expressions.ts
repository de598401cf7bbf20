import type { Json } from '../../item/json.ts';
import { keyAttributes } from './record.ts';

/** Gives the placeholder of an attribute's name, or of a value. */
export interface Placeholders {
  name(name: string): string;
  value(value: Json): string;
}

/** Builds the expressions of one read or write, with placeholders, so that no input is ever part of their text. */
export function expressions<Built extends object>(build: (use: Placeholders) => Built) {
  const names = new Map<string, string>();
  const values: Record<string, Json> = {};
  const built = build({
    name: (name) => {
      const placeholder = names.get(name) ?? `#${names.size}`;
      names.set(name, placeholder);
      return placeholder;
    },
    value: (value) => {
      const placeholder = `:${Object.keys(values).length}`;
      values[placeholder] = value;
      return placeholder;
    },
  });
  return {
    ...built,
    ExpressionAttributeNames: Object.fromEntries([...names].map(([name, placeholder]) => [placeholder, name])),
    // DynamoDB rejects an empty map.
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

export const exists = ({ name }: Placeholders): string => `attribute_exists(${name(keyAttributes.partition)})`;

export const isAbsent = ({ name }: Placeholders): string => `attribute_not_exists(${name(keyAttributes.partition)})`;

export const equals = ({ name, value }: Placeholders, attribute: string, expected: Json): string =>
  `${name(attribute)} = ${value(expected)}`;

/** Requires that an attribute has a value or, for null, that it is missing. */
export const has = (use: Placeholders, attribute: string, expected: Json): string =>
  expected === null ? `attribute_not_exists(${use.name(attribute)})` : equals(use, attribute, expected);

/** Requires that an attribute is missing, or less than a value. */
export function isBelow({ name, value }: Placeholders, attribute: string, limit: Json): string {
  const placeholder = name(attribute);
  return `(attribute_not_exists(${placeholder}) OR ${placeholder} < ${value(limit)})`;
}

/** Sets attributes. Null removes one. @param more further assignments, and attributes to remove */
export function setText(
  use: Placeholders,
  attributes: { readonly [name: string]: Json },
  more: { readonly set?: readonly string[]; readonly remove?: readonly string[] } = {},
): string {
  const all = Object.entries(attributes);
  const set = all.flatMap(([name, value]) => (value === null ? [] : [equals(use, name, value)]));
  const remove = all.flatMap(([name, value]) => (value === null ? [use.name(name)] : []));
  const clause = (verb: string, terms: readonly string[]) => (terms.length > 0 ? [`${verb} ${terms.join(', ')}`] : []);
  return [
    ...clause('SET', [...(more.set ?? []), ...set]),
    ...clause('REMOVE', [...remove, ...(more.remove ?? [])]),
  ].join(' ');
}
