import type { JsonObject } from '../../item/json.ts';

/** A part of the document: a JSON Schema (draft 2020-12, as OpenAPI 3.1 takes it), or an object of OpenAPI itself. */
export type Schema = JsonObject;

/**
 * A reference to a component.
 * @param kind such as `schemas`
 */
export const reference = (kind: string, name: string): Schema => ({ $ref: `#/components/${kind}/${name}` });

/** An object that always has all of its members, but the optional ones. */
export const objectSchema = (
  properties: Readonly<Record<string, Schema>>,
  { optional = [], ...others }: { readonly optional?: readonly string[]; readonly [keyword: string]: unknown } = {},
): Schema => ({
  type: 'object',
  ...(others as Schema),
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

export const itemId: Schema = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
