import { isDeepStrictEqual } from 'node:util';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { initialUnits } from '../../lib/item/account.ts';
import type { ErrorCode } from '../../lib/item/errors.ts';
import { errors } from '../../lib/item/errors.ts';
import { fieldNames, identifierNames } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { FuzzRequest } from './fuzzEvent.ts';
import { itemViolations, requestViolations } from './itemViolations.ts';

/** The refusals that each operation documents, without those of an outage. */
const common = ['VALIDATION_FAILED', 'ITEM_ALREADY_EXISTS', 'INVALID_JSON', 'INVALID_REQUEST', 'UNAUTHORIZED'] as const;
const framing = ['FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'IDEMPOTENCY_KEY_REUSED'] as const;
export const documentedRefusals: Readonly<Record<FuzzRequest['operation'], readonly ErrorCode[]>> = {
  createItem: [...common, ...framing],
  updateItem: [...common, ...framing, 'NOTHING_TO_UPDATE', 'ITEM_NOT_FOUND', 'PRECONDITION_FAILED'],
};

/** What the value of each header must match; no other header may be sent. */
const headerPatterns: Readonly<Record<string, RegExp>> = {
  'content-type': /^application\/json$/,
  'cache-control': /^no-store$/,
  'x-content-type-options': /^nosniff$/,
  'x-request-id': /^[\w-]+$/,
  'access-control-allow-origin': /^\*$/,
  'access-control-expose-headers': /^[\w,-]+$/,
  'www-authenticate': /^Bearer$/,
  etag: /^"[1-9]\d*"$/,
  location: /^\/api\/v1\/api\/v1\/items\/[1-9]\d*$/,
  'idempotency-replayed': /^true$/,
};

const alwaysRequired = ['content-type', 'cache-control', 'x-content-type-options', 'x-request-id'];

/** The headers that a status requires besides. */
const requiredFor: Readonly<Record<number, readonly string[]>> = {
  200: ['etag'],
  201: ['etag', 'location'],
  401: ['www-authenticate'],
  412: ['etag'],
};

/**
 * The promises of the API that a response breaks, in words.
 * @returns nothing for a response that is documented for this request
 */
export function violations({ operation, event }: FuzzRequest, response: APIGatewayProxyResult): string[] {
  const { statusCode: status, headers = {}, body, ...others } = response;
  const unexpected = Object.keys(others).map((name) => `a response has no ${name}`);
  const parsed = parse(body);
  if (parsed === undefined) return [`the body is no JSON object: ${String(body).slice(0, 200)}`];
  const success = operation === 'createItem' ? 201 : 200;
  const inBody =
    status === success
      ? successViolations(operation, event, parsed)
      : refusalViolations({ operation, event }, status, parsed);
  return [...unexpected, ...headerViolations(status, headers), ...inBody];
}

function parse(text: unknown): JsonObject | undefined {
  try {
    const value = JSON.parse(String(text));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function headerViolations(status: number, headers: NonNullable<APIGatewayProxyResult['headers']>): string[] {
  const missing = [...alwaysRequired, ...(requiredFor[status] ?? [])].filter((name) => headers[name] === undefined);
  const wrong = Object.entries(headers).filter(
    ([name, value]) => typeof value !== 'string' || headerPatterns[name]?.test(value) !== true,
  );
  return [
    ...missing.map((name) => `the header ${name} is missing from a ${status}`),
    ...wrong.map(([name, value]) => `a header ${name} is ${JSON.stringify(value)?.slice(0, 200)}`),
  ];
}

function refusalViolations({ operation, event }: FuzzRequest, status: number, body: JsonObject): string[] {
  const { message, code, fields, ...others } = (body['error'] ?? {}) as JsonObject;
  const expected = documentedRefusals[operation].find((known) => known === code);
  if (expected === undefined) return [`${operation} does not answer ${status} ${code}`];
  const found = [
    ...Object.keys(others).map((name) => `an error has no ${name}`),
    ...(expected === 'PRECONDITION_FAILED' ? currentViolations(event, body) : bodyViolations(body)),
    ...(errors[expected].status === status ? [] : [`${code} is not ${status}`]),
  ];
  if (expected === 'VALIDATION_FAILED') return [...found, ...fieldViolations(message, fields)];
  if (expected === 'ITEM_ALREADY_EXISTS') found.push(...takenViolations(fields));
  else if (fields !== undefined) found.push(`${code} has fields`);
  const pattern = expected === 'INVALID_REQUEST' ? /^Invalid header: (If-Match|Idempotency-Key)\.$/ : undefined;
  const isExpected = pattern === undefined ? message === errors[expected].message : pattern.test(String(message));
  return isExpected ? found : [...found, `${code} says ${message}`];
}

const bodyViolations = (body: JsonObject): string[] =>
  Object.keys(body).length === 1 ? [] : ['the body holds more than the error'];

/** A failed precondition shows the item as it is, as far as the caller may see it. */
function currentViolations(event: unknown, { error: _, data, ...others }: JsonObject): string[] {
  if (typeof data !== 'object' || data === null) return ['the body does not hold the item'];
  const surplus = Object.keys(others).map((name) => `the body holds ${name}`);
  return [...surplus, ...itemViolations(data as JsonObject, permissionsOf(event).includes('catalog:cost:read'))];
}

/**
 * The message names the first field; the fields are in the order of spec table 2.1, each once and with a reason, but
 * several places of the metadata.
 */
function fieldViolations(message: unknown, fields: unknown): string[] {
  if (!Array.isArray(fields) || fields.length === 0) return ['no fields are named'];
  const places = fields.filter(({ path }) => path !== undefined);
  const names = fields.filter((field) => !places.includes(field) || field === places[0]).map(({ field }) => field);
  const inOrder = fieldNames.filter((name) => names.includes(name));
  return [
    ...(message === `Invalid field: ${names[0]}.` ? [] : [`the message is ${message}`]),
    ...(names.join() === inOrder.join() ? [] : [`the fields are ${names}`]),
    ...(fields.every(hasItsMembers) && places.length <= 5 ? [] : ['a reason is malformed']),
  ];
}

function hasItsMembers({ field, reason, path, ...others }: Record<string, unknown>): boolean {
  const isPlace = path === undefined || (field === 'metadata' && /^(\/([^~/]|~[01])*)+$/.test(String(path)));
  return isPlace && /^[ -~]{5,200}$/.test(String(reason)) && Object.keys(others).length === 0;
}

/** Each identifier is named once, in the order of spec table 2.1, with the item that has it. */
function takenViolations(fields: unknown): string[] {
  const taken = Array.isArray(fields) ? fields : [];
  const names = taken.map(({ field }) => field).join();
  const inOrder = identifierNames.filter((name) => taken.some(({ field }) => field === name)).join();
  return [
    ...(names !== '' && names === inOrder ? [] : [`the taken identifiers are ${names}`]),
    ...taken.flatMap(({ field: _, ...rest }) =>
      Number.isSafeInteger(rest.item) &&
      isDeepStrictEqual(rest, { reason: `is used by item ${rest.item}`, item: rest.item })
        ? []
        : [`an identifier is taken by ${JSON.stringify(rest)}`],
    ),
  ];
}

const authorizerOf = (event: unknown) =>
  (event as { requestContext: { authorizer: Readonly<Record<string, unknown>> } }).requestContext.authorizer;

const permissionsOf = (event: unknown): string[] => String(authorizerOf(event)['permissions']).split(' ');

function successViolations(operation: FuzzRequest['operation'], event: unknown, body: JsonObject): string[] {
  const granted = permissionsOf(event);
  const { expiresAt } = authorizerOf(event);
  const { data } = body;
  if (typeof data !== 'object' || data === null || Object.keys(body).length > 1)
    return ['the body does not hold just data'];
  return [
    ...(granted.includes('catalog:edit') && Number(expiresAt) * 1000 > Date.now() ? [] : ['the caller may not edit']),
    ...itemViolations(data as JsonObject, granted.includes('catalog:cost:read')),
    ...requestViolations(event, data as JsonObject),
    ...(operation === 'createItem' ? createViolations(data as JsonObject) : []),
  ];
}

/** A new item's quantity is rounded by its unit; a later change of the unit leaves it as it is (spec 4.2 rule 1). */
function createViolations({ qty, unit }: JsonObject): string[] {
  const decimals = initialUnits.get(String(unit)) ?? 0;
  return Number(Number(qty).toFixed(decimals)) === qty ? [] : [`${qty} has more decimals than ${unit}`];
}
