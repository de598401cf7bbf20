import { limits } from '../item/limits.ts';
import { reference, type Schema } from './schema.ts';

const { keyLength, number, ...bounds } = limits.metadata;

const key: Schema = { minLength: keyLength.min, maxLength: keyLength.max, not: { const: '__proto__' } };
const value = reference('schemas', 'MetadataValue');
const metadata: Schema = { type: 'object', propertyNames: key, additionalProperties: value };

export const metadataSchemas = {
  Metadata: {
    ...metadata,
    description: 'Custom fields, sorted by key.',
    maxProperties: bounds.keysStored,
  },
  MetadataChanges: {
    ...metadata,
    description: `Custom fields to set, or to remove by sending null. At most ${bounds.valuesPerRequest} values on all levels, at most ${bounds.valuesPerKey} of them under one key, and at most ${bounds.levels} levels, including this object.`,
    maxProperties: bounds.keysPerRequest,
  },
  /** Only words, because a schema that contains itself makes several client generators fail or leave out every item. */
  MetadataValue: {
    description: `Any JSON value. At every level, numbers are 0 or from ${number.min} to ${number.max} in magnitude, strings have at most ${bounds.stringLength} characters, and keys have ${keyLength.min} to ${keyLength.max} characters and are not \`__proto__\`.`,
  },
} satisfies Readonly<Record<string, Schema>>;
