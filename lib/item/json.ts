export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

/** Does not look inside the object, because callers can nest values too deep for recursion. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether this service could have written a value: no set, nothing binary, no prototype replaced by `__proto__`. */
const isJson = (value: unknown): value is Json => {
  if (Array.isArray(value)) return value.every(isJson);
  return typeof value !== 'object' || value === null || isJsonObject(value);
};

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.values(value).every(isJson);

/** JSON with sorted keys: equal values, and no others, have equal texts. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson)}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)}}`;
}

/** Converts a path to a JSON Pointer (RFC 6901): `size`, `people`, 0 becomes `/size/people/0`. */
export const jsonPointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
