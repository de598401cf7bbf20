import { limits } from '../../item/limits.ts';
import { reference, type Schema } from './schema.ts';

const { keyLength, number, ...bounds } = limits.metadata;

const key: Schema = { minLength: keyLength.min, maxLength: keyLength.max, not: { const: '__proto__' } };
const value = reference('schemas', 'MetadataValue');
const metadata: Schema = { type: 'object', propertyNames: key, additionalProperties: value };

export const metadataSchemas = {
  Metadata: {
    ...metadata,
    description: 'Custom fields, with their keys in order.',
    maxProperties: bounds.keysStored,
  },
  MetadataChanges: {
    ...metadata,
    description: `Custom fields to set, or with null to remove. At most ${bounds.valuesPerRequest} values at any level, ${bounds.valuesPerKey} of them under one key, nested at most ${bounds.levels} levels deep, this object being the first.`,
    maxProperties: bounds.keysPerRequest,
  },
  /** Only words, because a schema that contains itself makes several client generators fail or leave out every item. */
  MetadataValue: {
    description: `Any JSON. At every level, a number is 0 or of a magnitude from ${number.min} to ${number.max}, a text has at most ${bounds.stringLength} characters, and a key has ${keyLength.min} to ${keyLength.max} characters and is not \`__proto__\`.`,
  },
} satisfies Readonly<Record<string, Schema>>;
