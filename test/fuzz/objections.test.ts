import type { APIGatewayProxyResult } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { change } from '../support/itemChange.ts';
import { proxyEvent } from '../support/proxyEvent.ts';
import { responseHeaders } from '../support/responseHeaders.ts';
import { createIn, modifyIn, newContainer, testCall } from '../support/testTable.ts';
import { openTarget } from './fuzzTarget.ts';
import { objections } from './objections.ts';

const item = {
  id: 7,
  name: 'Chair',
  type: 'product',
  category: 1,
  category_name: 'General',
  value: 12.5,
  qty: 3,
  unit: 'un',
  description: null,
  active: true,
  cost: 8.25,
  tax: 1.5,
  sku: 'CH-1',
  pn: null,
  tag: null,
  metadata: { size: { w: 40 } },
  create_date: '2026-11-20T23:10:00+00:00',
};
const { tag: _tag, ...withoutTag } = item;
const { 'x-request-id': _id, ...withoutId } = responseHeaders;
const taken = { message: 'SKU or part number already exists.', code: 'ITEM_ALREADY_EXISTS' };
const sixLevels = { a: { b: { c: { d: { e: {} } } } } };

/** What is said against an answer to a create. */
const answered = (response: APIGatewayProxyResult, permissions = 'catalog:edit catalog:cost:read', body?: string) => {
  const event = { requestContext: { authorizer: { permissions, expiresAt: '10000000000' } }, body };
  return objections({ operation: 'createItem', event }, response);
};
const against = (statusCode: number, body: unknown, headers: object = {}, permissions?: string) =>
  answered({ statusCode, headers: { ...responseHeaders, ...headers }, body: JSON.stringify(body) }, permissions);
const created = (data: object, permissions?: string) =>
  against(201, { data }, { etag: '"1"', location: '/api/v1/api/v1/items/7' }, permissions);
const asked = (sent: object) => {
  const headers = { ...responseHeaders, etag: '"1"', location: '/api/v1/api/v1/items/7' };
  return answered({ statusCode: 201, headers, body: JSON.stringify({ data: item }) }, undefined, JSON.stringify(sent));
};
const refused = (status: number, error: object) => against(status, { error });
const invalid = (...names: string[]) =>
  refused(422, {
    message: `Invalid field: ${names[0]}.`,
    code: 'VALIDATION_FAILED',
    fields: names.map((field) => ({ field, reason: 'is required' })),
  });

describe('the fuzzer has nothing against', () => {
  it('documented answers', () => {
    expect(created(item)).toEqual([]);
    expect(refused(409, taken)).toEqual([]);
    expect(invalid('name', 'sku')).toEqual([]);
  });

  it('what follows from what was sent', () => {
    const { create_date: _date, category_name: _name, metadata: _metadata, ...sent } = item;
    expect(asked(sent)).toEqual([]);
    expect(asked({ ...sent, active: 1, value: 12.50004, qty: 2.5, sku: ' CH-1\t', pn: '', metadata: null })).toEqual(
      [],
    );
  });
});

describe('the fuzzer objects to', () => {
  it.each<[string, string[], string]>([
    [
      'a failure',
      refused(500, { message: 'The request failed unexpectedly.', code: 'INTERNAL_ERROR' }),
      'createItem does not answer 500 INTERNAL_ERROR',
    ],
    [
      "another operation's refusal",
      refused(404, { message: 'Item not found.', code: 'ITEM_NOT_FOUND' }),
      'createItem does not answer 404 ITEM_NOT_FOUND',
    ],
    ['another status', refused(400, taken), 'ITEM_ALREADY_EXISTS is not 400'],
    ['another message', refused(409, { ...taken, message: 'A.' }), 'ITEM_ALREADY_EXISTS says A.'],
    ['more than an error', refused(409, { ...taken, stack: 'at …' }), 'an error has no stack'],
    ['more beside it', against(409, { error: taken, data: {} }), 'there is something beside the error'],
    ['no fields', refused(422, { message: 'Invalid field: name.', code: 'VALIDATION_FAILED' }), 'no fields are named'],
    ['another order of fields', invalid('sku', 'name'), 'the fields are sku,name'],
    ['a field that is none', invalid('id'), 'the fields are id'],
    ['a body that is no JSON', answered({ statusCode: 409, body: 'x' }), 'the body is no JSON object: x'],
    [
      'a missing header',
      answered({ statusCode: 409, headers: withoutId, body: JSON.stringify({ error: taken }) }),
      'the header x-request-id is missing from a 409',
    ],
    ['a strange header', against(409, { error: taken }, { server: 'x' }), 'a header server is "x"'],
    [
      'no entity tag',
      against(201, { data: item }, { location: '/api/v1/api/v1/items/7' }),
      'the header etag is missing from a 201',
    ],
    ['a missing member', created(withoutTag), `the members are ${Object.keys(withoutTag)}`],
    ['a name of blanks', created({ ...item, name: ' ' }), 'name is " "'],
    ['151 characters of a name', created({ ...item, name: 'n'.repeat(151) }), `name is "${'n'.repeat(151)}"`],
    ['a value beyond its bound', created({ ...item, value: 100_000_000 }), 'value is 100000000'],
    ['five decimals', created({ ...item, value: 1.00001 }), 'value is 1.00001'],
    ['decimals of a unit that has none', created({ ...item, qty: 1.5 }), '1.5 has more decimals than un'],
    ['a code with blanks', created({ ...item, sku: ' A' }), 'sku is " A"'],
    ['too many levels', created({ ...item, metadata: sixLevels }), `metadata is ${JSON.stringify(sixLevels)}`],
    ['a lone surrogate', created({ ...item, tag: '\ud800' }), 'tag is "\\ud800"'],
    ['an answer to one who may not edit', created(item, 'catalog:cost:read'), 'the caller may not edit'],
    ['another name', asked({ name: 'Table' }), 'name was sent as "Table", and is not'],
    ['another amount', asked({ value: 12.5001 }), 'value was sent as 12.5001, and is not'],
    ['another quantity', asked({ qty: 3.6 }), 'qty was sent as 3.6, and is not'],
    ['a tag that was lost', asked({ tag: '' }), 'tag was sent as "", and is not'],
    ['a code that was kept', asked({ sku: null }), 'sku was sent as null, and is not'],
    ['an item that is active all the same', asked({ active: 0 }), 'active was sent as 0, and is not'],
    ['a cost for one who may not see it', created(item, 'catalog:edit'), `the members are ${Object.keys(item)}`],
  ])('%s', (_case, found, objection) => {
    expect(found).toEqual([objection]);
  });
});

it('the fuzzer counts a write that no answer tells of', async () => {
  const target = await openTarget();
  const [caller] = target.callers;
  if (caller === undefined) throw new Error('No caller');
  const send = (body: object) => target.answer({ operation: 'createItem', event: proxyEvent({ caller, body }) });
  await send({ name: 'Chair' });
  await send({ name: '' });
  expect(await target.untold()).toBe(0);
  const { id } = await createIn(newContainer(target.table), testCall(caller.account));
  await modifyIn(newContainer(target.table), testCall(caller.account), id, change({ value: 1 }), undefined);
  expect([await target.untold(), await target.untold()]).toEqual([2, 0]);
  await target.close();
});
