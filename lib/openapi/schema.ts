import { commonHeaders } from '../http/headers.ts';
import type { JsonObject } from '../item/json.ts';

/** A part of the document: a JSON Schema (draft 2020-12, as in OpenAPI 3.1), or an OpenAPI object. */
export type Schema = JsonObject;

/** A reference to a component. @param kind such as `schemas` */
export const reference = (kind: string, name: string): Schema => ({ $ref: `#/components/${kind}/${name}` });

interface ObjectOptions {
  readonly optional?: readonly string[];
  readonly additionalProperties?: boolean;
}

/** An object schema. All members are required except those listed in `optional`. */
export const objectSchema = (properties: Readonly<Record<string, Schema>>, options?: ObjectOptions): Schema =>
  describedObject(undefined, properties, options);

/** The same with a description. */
export const describedObject = (
  description: string | undefined,
  properties: Readonly<Record<string, Schema>>,
  { optional = [], ...keywords }: ObjectOptions = {},
): Schema => ({
  type: 'object',
  ...(description !== undefined && { description }),
  ...keywords,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

/** The content of a request or a response, with its examples by name. */
export const jsonContent = (schema: Schema, examples: Readonly<Record<string, JsonObject>>): Schema => ({
  [commonHeaders['content-type']]: {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

export const itemId: Schema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

/** Without the format, Go's generators take single precision, which loses cents. */
export const anyNumber: Schema = { type: 'number', format: 'double' };

export const time: Schema = { type: 'string', format: 'date-time' };

export const listOf = (name: string): Schema => ({ type: 'array', items: reference('schemas', name) });
