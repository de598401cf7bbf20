import { commonHeaders } from '../http/headers.ts';
import type { JsonObject } from '../item/json.ts';

/** A part of the document: a JSON Schema (draft 2020-12, as in OpenAPI 3.1), or an OpenAPI object. */
export type Schema = JsonObject;

/** A reference to a component. @param kind such as `schemas` */
export const reference = (kind: string, name: string): Schema => ({ $ref: `#/components/${kind}/${name}` });

/** An object schema. All members are required except those listed in `optional`. */
export const objectSchema = (
  properties: Readonly<Record<string, Schema>>,
  { optional = [], ...others }: { readonly optional?: readonly string[]; readonly [keyword: string]: unknown } = {},
): Schema => ({
  type: 'object',
  ...(others as Schema),
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

/** A time as RFC 3339 has it. */
export const time: Schema = { type: 'string', format: 'date-time' };

export const listOf = (name: string): Schema => ({ type: 'array', items: reference('schemas', name) });
