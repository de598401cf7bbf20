import { limits } from '../../item/limits.ts';
import { reference, type Schema } from './schema.ts';

const { keyLength, number, ...bounds } = limits.metadata;

const key: Schema = { minLength: keyLength.min, maxLength: keyLength.max, not: { const: '__proto__' } };
const value = reference('schemas', 'MetadataValue');
const metadata: Schema = { type: 'object', propertyNames: key, additionalProperties: value };

/** DynamoDB cannot store numbers between 0 and the minimum magnitude. */
const tooSmall: Schema = { exclusiveMinimum: -number.min, exclusiveMaximum: number.min, not: { const: 0 } };

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
  MetadataValue: {
    description: `Any JSON. A number is 0 or of a magnitude from ${number.min} to ${number.max}.`,
    anyOf: [
      { type: 'null' },
      { type: 'boolean' },
      { type: 'number', minimum: -number.max, maximum: number.max, not: tooSmall },
      { type: 'string', maxLength: bounds.stringLength },
      { type: 'array', items: value },
      metadata,
    ],
  },
} satisfies Readonly<Record<string, Schema>>;
