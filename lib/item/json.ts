export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/**
 * Whether a stored value is JSON that this service could have written: not a set, not binary, and not an object whose
 * prototype was replaced by a stored key named `__proto__`.
 */
const isJson = (value: unknown): value is Json => {
  if (Array.isArray(value)) return value.every(isJson);
  return typeof value !== 'object' || value === null || isJsonObject(value);
};

/** The same for an object. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).every(isJson);

/** Converts a path to a JSON Pointer (RFC 6901): `size`, `people`, 0 becomes `/size/people/0`. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
