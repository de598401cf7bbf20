import type { APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { errors } from '../../lib/item/errors.ts';
import { shownItem } from '../support/apiResponses.ts';
import { change } from '../support/itemChange.ts';
import { proxyEvent } from '../support/proxyEvent.ts';
import { responseHeaders } from '../support/responseHeaders.ts';
import { createIn, modifyIn, newContainer, testCall } from '../support/testTable.ts';
import { openTarget } from './fuzzTarget.ts';
import { violations } from './violations.ts';

const item = {
  id: 7,
  ...shownItem({ value: 12.5, qty: 3, cost: 8.25, tax: 1.5, sku: 'CH-1', metadata: { size: { w: 40 } } }),
  create_date: '2026-11-20T23:10:00+00:00',
  revision: 1,
  updated_at: '2026-11-20T23:10:00+00:00',
  updated_by: 'ann',
};
const { cost: _cost, ...withoutCost } = item;
const takenBy = (...fields: object[]) => ({
  message: errors.ITEM_ALREADY_EXISTS.message,
  code: 'ITEM_ALREADY_EXISTS',
  fields,
});
const taken = takenBy({ field: 'sku', reason: 'is used by item 7', rule: 'taken', item: 7 });
const outdated = {
  message: 'The item is no longer at the revision named in If-Match.',
  code: 'PRECONDITION_FAILED',
};
const sixLevels = { a: { b: { c: { d: { e: {} } } } } };

/** The violations of a response to a create. */
const ofResponse = (response: APIGatewayProxyResult, permissions = 'catalog:edit catalog:cost:read', body?: string) => {
  const event = { requestContext: { authorizer: { permissions, expiresAt: '10000000000' } }, body };
  return violations({ operation: 'createItem', event }, response);
};
const ofBody = (statusCode: number, body: unknown, headers: object = {}, permissions?: string) =>
  ofResponse({ statusCode, headers: { ...responseHeaders, ...headers }, body: JSON.stringify(body) }, permissions);
const ofItem = (data: object, permissions?: string) =>
  ofBody(201, { data }, { etag: '"1"', location: '/api/v1/api/v1/items/7' }, permissions);
const afterSending = (sent: object) => {
  const headers = { ...responseHeaders, etag: '"1"', location: '/api/v1/api/v1/items/7' };
  return ofResponse(
    { statusCode: 201, headers, body: JSON.stringify({ data: item }) },
    undefined,
    JSON.stringify(sent),
  );
};
const ofError = (status: number, error: object) => ofBody(status, { error });
const ofOutdated = (body: object) =>
  violations(
    { operation: 'updateItem', event: { requestContext: { authorizer: { permissions: 'catalog:edit' } } } },
    {
      statusCode: 412,
      headers: { ...responseHeaders, etag: '"2"' },
      body: JSON.stringify({ error: outdated, ...body }),
    },
  );
const ofInvalid = (...names: string[]) =>
  ofError(422, {
    message: `Invalid field: ${names[0]}.`,
    code: 'VALIDATION_FAILED',
    fields: names.map((field) => ({ field, reason: 'is required', rule: 'required' })),
  });

const ofPlaces = (path: string, field = 'metadata') =>
  ofError(422, {
    message: `Invalid field: ${field}.`,
    code: 'VALIDATION_FAILED',
    fields: [
      { field, reason: 'must be well-formed', rule: 'pattern', path: '/a/0' },
      { field, reason: 'must be well-formed', rule: 'pattern', path },
    ],
  });

/** What the contract of a response cannot say, which has tests of its own. */
describe('there is no violation in', () => {
  it('documented responses', () => {
    expect(ofItem(item)).toEqual([]);
    expect(ofError(409, taken)).toEqual([]);
    expect(ofInvalid('name', 'sku')).toEqual([]);
    expect(ofPlaces('/a~1b/')).toEqual([]);
    expect(ofOutdated({ data: withoutCost })).toEqual([]);
  });

  it('an item that has what was sent, in stored form', () => {
    const { create_date: _date, category_name: _name, metadata: _metadata, ...sent } = item;
    expect(afterSending(sent)).toEqual([]);
    expect(
      afterSending({ ...sent, active: 1, value: 12.50004, qty: 2.5, sku: ' CH-1\t', pn: '', metadata: null }),
    ).toEqual([]);
  });
});

describe('it is a violation to return', () => {
  it.each<[string, string[], string]>([
    [
      'an internal error',
      ofError(500, { message: 'The request failed unexpectedly.', code: 'INTERNAL_ERROR' }),
      'createItem does not answer INTERNAL_ERROR',
    ],
    ['another message', ofError(409, { ...taken, message: 'A.' }), 'ITEM_ALREADY_EXISTS says A.'],
    [
      'a failed precondition with a cost that is hidden',
      ofOutdated({ data: item }),
      `the members are ${Object.keys(item)}`,
    ],
    ['another order of fields', ofInvalid('sku', 'name'), 'the fields are sku,name'],
    ['five decimals', ofItem({ ...item, value: 1.00001 }), 'value is 1.00001'],
    ['a quantity with decimals in a unit without', ofItem({ ...item, qty: 1.5 }), '1.5 has more decimals than un'],
    ['an identifier with white space', ofItem({ ...item, sku: ' A' }), 'sku is " A"'],
    ['metadata of six levels', ofItem({ ...item, metadata: sixLevels }), `metadata is ${JSON.stringify(sixLevels)}`],
    ['a lone surrogate', ofItem({ ...item, tag: '\ud800' }), 'tag is "\\ud800"'],
    ['an item to a caller who may not edit', ofItem(item, 'catalog:cost:read'), 'the caller may not edit'],
    ['another name than was sent', afterSending({ name: 'Table' }), 'name was sent as "Table", and is not'],
    ['another value than was sent', afterSending({ value: 12.5001 }), 'value was sent as 12.5001, and is not'],
    ['another quantity than was sent', afterSending({ qty: 3.6 }), 'qty was sent as 3.6, and is not'],
    ['null for a tag that was sent empty', afterSending({ tag: '' }), 'tag was sent as "", and is not'],
    ['an identifier that was removed', afterSending({ sku: null }), 'sku was sent as null, and is not'],
    ['an active item that was sent as inactive', afterSending({ active: 0 }), 'active was sent as 0, and is not'],
    ['the cost to a caller who may not see it', ofItem(item, 'catalog:edit'), `the members are ${Object.keys(item)}`],
  ])('%s', (_case, found, violation) => {
    expect(found).toEqual([violation]);
  });
});

it('the fuzzer counts writes that no response reports', async () => {
  const target = await openTarget();
  const [caller] = target.callers;
  if (caller === undefined) throw new Error('No caller');
  const send = (body: object) => target.send({ operation: 'createItem', event: proxyEvent({ caller, body }) });
  await send({ name: 'Chair' });
  await send({ name: '' });
  expect(await target.unreportedWrites()).toBe(0);
  const { id } = await createIn(newContainer(target.table), testCall(caller.account));
  await modifyIn(newContainer(target.table), testCall(caller.account), id, change({ value: 1 }), undefined);
  expect([await target.unreportedWrites(), await target.unreportedWrites()]).toEqual([2, 0]);
  await target.close();
});
