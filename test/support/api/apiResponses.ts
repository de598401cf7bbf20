import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { errors, type InvalidField } from '../../../lib/item/errors.ts';
import type { ItemFields } from '../../../lib/item/fields.ts';
import { rules } from '../../../lib/item/violation.ts';
import { defaultFields } from '../items/sampleItem.ts';
import type { ApiRequest } from './apiRequests.ts';
import type { Refusal } from './refusals.ts';
import { responseHeaders } from './responseHeaders.ts';
import type { ApiResponse, TestApi } from './testApi.ts';

const commonHeaders = { ...responseHeaders, 'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) };

/** Asserts a whole error response, including all headers. */
export function expectRefusal(response: ApiResponse, refusal: Refusal): void {
  const { status, code, message, current, allow, byFunction = false } = refusal;
  const got = JSON.parse(response.text);
  const subject = current === undefined ? refusal.subject : { by: got.data?.updated_by };
  const fields = fieldsOf(refusal, got.error?.fields);
  const error = { message: message ?? errors[code].message, code, ...subject, ...(fields && { fields }) };
  expect({ status: response.status, body: got }).toEqual({
    status,
    body: { error, ...(current && { data: unwrap(current.item, current.revision) }) },
  });
  // API Gateway renames this header when a function sends it.
  const challenge = byFunction ? 'x-amzn-remapped-www-authenticate' : 'www-authenticate';
  expect(response.headers).toEqual({
    ...commonHeaders,
    ...(status === 401 && { [challenge]: 'Bearer error="invalid_token"' }),
    ...(status === 503 && { 'retry-after': '1' }),
    ...(allow !== undefined && { allow }),
    ...(current && { etag: `"${current.revision}"` }),
  });
}

/**
 * The fields in an error: the taken ones, or the invalid ones with any rule, and with a limit only if the rule has one.
 */
function fieldsOf({ fields, metadataPaths, owners }: Refusal, got: readonly InvalidField[] = []): object[] | undefined {
  if (owners !== undefined) return Object.entries(owners).map(([field, item]) => ({ field, ...usedBy(item) }));
  const reason = expect.stringMatching(/^(must|is|cannot) \w.*[^.]$/);
  const invalid = fields?.flatMap((field) =>
    field === 'metadata' && metadataPaths !== undefined
      ? metadataPaths.map((path) => ({ field, reason, path }))
      : [{ field, reason }],
  );
  return invalid?.map((one, index) => ({
    ...one,
    rule: expect.toBeOneOf([...rules]),
    ...(/^m(in|ax)/.test(got[index]?.rule ?? '') && { limit: expect.any(Number) }),
  }));
}

const usedBy = (item: number | undefined) =>
  item === undefined
    ? { reason: expect.stringMatching(/^is used by item [1-9][0-9]*$/), rule: 'taken', item: expect.any(Number) }
    : { reason: `is used by item ${item}`, rule: 'taken', item };

/**
 * Asserts a whole response that shows the last page of a list.
 * @param items with their ids, in order
 */
export function expectList(response: ApiResponse, items: readonly (ShownItem & { readonly id: number })[]): void {
  expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({
    status: 200,
    body: { data: items.map((item) => ({ ...unwrap(item), id: item.id })), next_cursor: null },
  });
  expect(response.headers).toEqual(commonHeaders);
}

/** Sends one or more requests, and asserts that each gets this error and that nothing was written. */
export async function expectRefused(
  api: TestApi,
  requests: ApiRequest | readonly ApiRequest[],
  refusal: Refusal,
): Promise<void> {
  const changed = await changedRecords(api, async () => {
    for (const request of [requests].flat()) expectRefusal(await api.send(request), refusal);
  });
  expect(changed).toEqual([]);
}

/** The keys of the records that an action adds, changes or removes. */
export async function changedRecords(api: TestApi, action: () => Promise<unknown>): Promise<string[]> {
  const before = await api.records();
  await action();
  const after = await api.records();
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...all].filter((key) => !isDeepStrictEqual(before[key], after[key])).sort();
}

/** The fields of an item in a response. `cost` is missing if the caller may not see it. */
export type ShownItem = Omit<ItemFields, 'cost'> & {
  readonly category_name: string | null;
  readonly cost?: number;
};

/**
 * The item that `{"name":"Chair"}` creates in the first demo account, with the given differences, in the order of spec
 * table 2.1.
 */
export const shownItem = (differences: Partial<ShownItem> = {}): ShownItem => {
  const { name, type, category, ...others } = defaultFields;
  return { name, type, category, category_name: 'General', ...others, ...differences };
};

/** The `data` of a response that shows an item. */
const unwrap = (item: ShownItem, revision = expect.any(Number)) => ({
  id: expect.any(Number),
  ...item,
  create_date: timestamp,
  revision,
  updated_at: timestamp,
  updated_by: expect.any(String),
});

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);

/**
 * Asserts a whole response that shows an item: 201 at revision 1, otherwise 200.
 * @param isNew whether the request has created it
 * @returns the item's id
 */
export function expectItem(response: ApiResponse, item: ShownItem, revision: number, isNew = revision === 1): number {
  const body = JSON.parse(response.text);
  expect({ status: response.status, body }).toEqual({
    status: isNew ? 201 : 200,
    body: { data: unwrap(item, revision) },
  });
  const { data } = body as { data: { id: number } };
  expect(Object.keys(data)).toEqual(Object.keys(unwrap(item)));
  expect(response.headers).toEqual({
    ...commonHeaders,
    etag: `"${revision}"`,
    ...(isNew && { location: `/api/v1/api/v1/items/${data.id}` }),
  });
  return data.id;
}
