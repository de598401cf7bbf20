import { expect } from 'vitest';
import { type ErrorCode, errors } from '../../lib/item/errors.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { FieldName } from '../../lib/item/limits.ts';
import type { ApiResponse } from './testCatalog.ts';

/** The headers of every response where any page may call the API. */
const headersOfAll = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag,idempotency-replayed,location,retry-after,x-request-id',
};

export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  /** Instead of the message that the code has. */
  readonly message?: string;
  /** The invalid fields, in the order of spec table 2.1. */
  readonly fields?: readonly FieldName[];
  /** A 401 comes from the gateway unless this is true. */
  readonly byFunction?: boolean;
}

/** Refusals in the words of spec 7.2. */
export const nothingToUpdate: Refusal = {
  status: 400,
  code: 'NOTHING_TO_UPDATE',
  message: 'No supported fields to update.',
};
export const notFound: Refusal = { status: 404, code: 'ITEM_NOT_FOUND', message: 'Item not found.' };
export const conflict: Refusal = {
  status: 409,
  code: 'ITEM_ALREADY_EXISTS',
  message: 'SKU or part number already exists.',
};

/** The refusal of invalid fields, whose message names the first (spec 7.2). */
export const invalid = (...fields: readonly [FieldName, ...FieldName[]]): Refusal => ({
  status: 422,
  code: 'VALIDATION_FAILED',
  message: `Invalid field: ${fields[0]}.`,
  fields,
});

/** Asserts a whole refusal, to the last header. */
export function expectRefusal(
  response: ApiResponse,
  { status, code, message, fields, byFunction = false }: Refusal,
): void {
  const reasons = fields?.map((field) => ({ field, reason: expect.stringMatching(/^(must|is) \w.*[^.]$/) }));
  const error = { message: message ?? errors[code].message, code, ...(reasons && { fields: reasons }) };
  expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({ status, body: { error } });
  // API Gateway renames this header where a function sends it.
  const challenge = byFunction ? 'x-amzn-remapped-www-authenticate' : 'www-authenticate';
  expect(response.headers).toEqual({ ...headersOfAll, ...(status === 401 && { [challenge]: 'Bearer' }) });
}

/** An item as responses show it, but its id and date, in the order of spec table 2.1. */
export type ShownItem = {
  readonly name: string;
  readonly type: 'product' | 'service';
  readonly category: number | null;
  readonly category_name: string | null;
  readonly value: number;
  readonly qty: number;
  readonly unit: string;
  readonly description: string | null;
  readonly active: boolean;
  /** Left out for callers who may not see it. */
  readonly cost?: number;
  readonly tax: number;
  readonly sku: string | null;
  readonly pn: string | null;
  readonly tag: string | null;
  readonly metadata: JsonObject;
};

/** What the first demo account makes of `{"name":"Chair"}` (spec table 2.1), with the differences that a test is about. */
export const shownItem = (differences: Partial<ShownItem> = {}): ShownItem => ({
  name: 'Chair',
  type: 'product',
  category: 1,
  category_name: 'General',
  value: 0,
  qty: 1,
  unit: 'un',
  description: null,
  active: true,
  cost: 0,
  tax: 0,
  sku: null,
  pn: null,
  tag: null,
  metadata: {},
  ...differences,
});

/**
 * Asserts a whole answer that shows an item: 201 at revision 1, else 200.
 * @returns the item's id
 */
export function expectItem(response: ApiResponse, item: ShownItem, revision: number): number {
  const isNew = revision === 1;
  const body = JSON.parse(response.text);
  expect({ status: response.status, body }).toEqual({
    status: isNew ? 201 : 200,
    body: {
      data: {
        id: expect.any(Number),
        ...item,
        create_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
      },
    },
  });
  const { data } = body as { data: { id: number } };
  expect(Object.keys(data)).toEqual(['id', ...Object.keys(item), 'create_date']);
  expect(response.headers).toEqual({
    ...headersOfAll,
    etag: `"${revision}"`,
    ...(isNew && { location: `/api/v1/api/v1/items/${data.id}` }),
  });
  return data.id;
}
