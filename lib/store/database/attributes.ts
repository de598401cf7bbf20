/**
 * JSON to DynamoDB's attribute values and back. The SDK's own marshaller is not used: it drops a key named `__proto__`,
 * throws on a key named `constructor` and on integers past 2^53 - 1, and its counterpart lets a stored `__proto__` set an
 * object's prototype; callers choose the keys of custom fields.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Json, JsonObject } from '../../item/json.ts';

/** A record, or a map within one, as the SDK takes and gives it. */
export type Attributes = Record<string, AttributeValue>;

/** @param value at most some levels deep, as callers' values are checked to be */
export function toAttribute(value: Json): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (Array.isArray(value)) return { L: value.map(toAttribute) };
  return { M: toAttributes(value as JsonObject) };
}

/** The members of an object; those that are null become DynamoDB's NULL, so leave out what has no value. */
export const toAttributes = (object: JsonObject): Attributes =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, toAttribute(value)]));

/** @throws an error on a type that this service does not write (sets, binary) */
export function fromAttribute(attribute: AttributeValue): Json {
  if (attribute.S !== undefined) return attribute.S;
  if (attribute.N !== undefined) return Number(attribute.N);
  if (attribute.BOOL !== undefined) return attribute.BOOL;
  if (attribute.M !== undefined) return fromAttributes(attribute.M);
  if (attribute.L !== undefined) return attribute.L.map(fromAttribute);
  if (attribute.NULL !== undefined) return null;
  throw new Error(`Attribute of an unexpected type: ${Object.keys(attribute).join()}`);
}

export const fromAttributes = (attributes: Attributes): JsonObject =>
  Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, fromAttribute(value)]));
