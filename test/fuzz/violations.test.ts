import { expect, it } from 'vitest';
import { errors } from '../../lib/item/errors.ts';
import type { JsonObject } from '../../lib/item/json.ts';
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
const members = `the members are ${Object.keys(item)}`;
const sixLevels = { a: { b: { c: { d: { e: {} } } } } };
const created = { etag: '"1"', location: '/api/v1/api/v1/items/7' };

/** The violations of a response to a create. */
function found(status: number, body: object, sent?: JsonObject, permissions = 'catalog:edit catalog:cost:read') {
  const event = {
    requestContext: { authorizer: { permissions, expiresAt: '10000000000' } },
    body: sent === undefined ? undefined : JSON.stringify(sent),
  };
  const headers = { ...responseHeaders, ...(status === 201 && created) };
  return violations({ operation: 'createItem', event }, { statusCode: status, headers, body: JSON.stringify(body) });
}
const ofItem = (changes: object, permissions?: string) =>
  found(201, { data: { ...item, ...changes } }, undefined, permissions);
const afterSending = (sent: JsonObject) => found(201, { data: item }, sent);
const ofError = (code: keyof typeof errors, details: object = {}) =>
  found(errors[code].status, { error: { message: errors[code].message, code, ...details } });
const invalid = (...names: string[]) => ({
  message: `Invalid field: ${names[0]}.`,
  fields: names.map((field) => ({ field, reason: 'is required', rule: 'required' })),
});

/** That other responses are none, hostile events show: what they get is documented. */
it.each<[string, string[], string]>([
  ['an internal error', ofError('INTERNAL_ERROR'), 'createItem does not answer INTERNAL_ERROR'],
  [
    'another message',
    ofError('ITEM_ALREADY_EXISTS', {
      message: 'A.',
      fields: [{ field: 'sku', reason: 'is used', rule: 'taken', item: 7 }],
    }),
    'ITEM_ALREADY_EXISTS says A.',
  ],
  ['another order of fields', ofError('VALIDATION_FAILED', invalid('sku', 'name')), 'the fields are sku,name'],
  ['five decimals', ofItem({ value: 1.00001 }), 'value is 1.00001'],
  ['a quantity with decimals in a unit without', ofItem({ qty: 1.5 }), '1.5 has more decimals than un'],
  ['an identifier with white space', ofItem({ sku: ' A' }), 'sku is " A"'],
  ['metadata of six levels', ofItem({ metadata: sixLevels }), `metadata is ${JSON.stringify(sixLevels)}`],
  ['a lone surrogate', ofItem({ tag: '\ud800' }), 'tag is "\\ud800"'],
  ['an item to a caller who may not edit', ofItem({}, 'catalog:cost:read'), 'the caller may not edit'],
  ['the cost to a caller who may not see it', ofItem({}, 'catalog:edit'), members],
  ['another name than was sent', afterSending({ name: 'Table' }), 'name was sent as "Table", and is not'],
  ['another value than was sent', afterSending({ value: 12.5001 }), 'value was sent as 12.5001, and is not'],
  ['another quantity than was sent', afterSending({ qty: 3.6 }), 'qty was sent as 3.6, and is not'],
  ['null for a tag that was sent empty', afterSending({ tag: '' }), 'tag was sent as "", and is not'],
  ['an identifier that was removed', afterSending({ sku: null }), 'sku was sent as null, and is not'],
  ['an active item that was sent as inactive', afterSending({ active: 0 }), 'active was sent as 0, and is not'],
])('it is a violation to return %s', (_case, violationsFound, violation) => {
  expect(violationsFound).toEqual([violation]);
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
