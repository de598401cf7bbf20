import type { APIGatewayProxyResult } from 'aws-lambda';
import type { ErrorCode, InvalidField } from '../../lib/item/errors.ts';
import { fieldNames, identifierNames } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { create, update } from '../support/api/apiRequests.ts';
import { contractViolations } from '../support/api/contract.ts';
import type { FuzzRequest } from './fuzzRequest.ts';
import type { KnownItems } from './knownItems.ts';

/** The refusals that each operation documents for a body. */
const common = ['VALIDATION_FAILED', 'ITEM_ALREADY_EXISTS', 'INVALID_JSON', 'PAYLOAD_TOO_LARGE'] as const;
export const documentedRefusals: Readonly<Record<FuzzRequest['operation'], readonly ErrorCode[]>> = {
  createItem: [...common, 'IDEMPOTENCY_KEY_REUSED'],
  updateItem: [...common, 'IDEMPOTENCY_KEY_REUSED', 'NOTHING_TO_UPDATE', 'ITEM_NOT_FOUND', 'PRECONDITION_FAILED'],
};

/**
 * The promises of the API that a response breaks, in words: those of its OpenAPI document, and those that depend on the
 * request, on those before it or on the order of members.
 * @returns nothing for a response that is documented for this request
 */
export function violations(
  { operation, caller: { account, permissions }, body }: FuzzRequest,
  response: APIGatewayProxyResult,
  known: KnownItems,
): string[] {
  const { statusCode: status, headers = {}, body: text } = response;
  const sent = operation === 'createItem' ? create({}) : update(1, {});
  const undeclared = contractViolations(sent, { status, headers: headers as Readonly<Record<string, string>>, text });
  if (undeclared.length > 0) return undeclared;
  const { data, error } = JSON.parse(text) as { data?: JsonObject; error?: Refusal };
  const members = data === undefined ? [] : membersOf(permissions.includes('catalog:cost:read'));
  if (Object.keys(data ?? {}).join() !== members.join()) return [`the members are ${Object.keys(data ?? {})}`];
  if (error !== undefined)
    return [
      ...refusalViolations(operation, error),
      ...(data === undefined ? [] : known.violations(account, data, false)),
    ];
  if (headers['idempotency-replayed'] !== undefined) return [];
  return known.violations(account, data ?? {}, operation === 'createItem', JSON.parse(body || '{}'));
}

/** The members of an item in a response, in their order. */
function membersOf(seesCost: boolean): string[] {
  const fields = fieldNames.flatMap((name) => (name === 'category' ? [name, 'category_name'] : [name]));
  const writes = ['create_date', 'revision', 'updated_at', 'updated_by'];
  return ['id', ...fields, ...writes].filter((name) => seesCost || name !== 'cost');
}

interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly fields?: readonly InvalidField[];
}

function refusalViolations(operation: FuzzRequest['operation'], { message, code, fields = [] }: Refusal): string[] {
  const expected = documentedRefusals[operation].find((known) => known === code);
  if (expected === undefined) return [`${operation} does not answer ${code}`];
  if (expected === 'VALIDATION_FAILED') return fieldViolations(message, fields);
  const names = fields.map(({ field }) => field).join();
  const inOrder = identifierNames.filter((name) => fields.some(({ field }) => field === name)).join();
  return expected !== 'ITEM_ALREADY_EXISTS' || (names !== '' && names === inOrder)
    ? []
    : [`the taken identifiers are ${names}`];
}

/**
 * The message names the first field; the fields are in the order of spec table 2.1, each once, but
 * several places of the metadata.
 */
function fieldViolations(message: unknown, fields: readonly InvalidField[]): string[] {
  const places = fields.filter(({ path }) => path !== undefined);
  const names = fields.filter((field) => !places.includes(field) || field === places[0]).map(({ field }) => field);
  const inOrder = fieldNames.filter((name) => names.includes(name));
  return [
    ...(message === `Invalid field: ${names[0]}.` ? [] : [`the message is ${message}`]),
    ...(names.join() === inOrder.join() ? [] : [`the fields are ${names}`]),
    ...(places.length <= 5 ? [] : [`${places.length} places are named`]),
  ];
}
