import { expect, it } from 'vitest';
import { errors } from '../../lib/item/errors.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { shownItem } from '../support/apiResponses.ts';
import { change } from '../support/itemChange.ts';
import { proxyEvent } from '../support/proxyEvent.ts';
import { responseHeaders } from '../support/responseHeaders.ts';
import { createIn, modifyIn, newContainer, testCall } from '../support/testTable.ts';
import { openTarget } from './fuzzTarget.ts';
import { KnownItems } from './knownItems.ts';
import { violations } from './violations.ts';

const date = '2026-11-20T23:10:00+00:00';
const item = { id: 7, ...shownItem(), create_date: date, revision: 1, updated_at: date, updated_by: 'ann' };
const members = `the members are ${Object.keys(item)}`;
const sixLevels = { metadata: { a: { b: { c: { d: { e: {} } } } } } };
const created = { etag: '"1"', location: '/api/v1/api/v1/items/7' };
const allPermissions = 'catalog:edit catalog:cost:read';

/** The violations of a response to a create. */
function found(status: number, body: object, sent: JsonObject = {}, permissions = allPermissions) {
  const event = {
    requestContext: { authorizer: { permissions, expiresAt: '10000000000' } },
    body: JSON.stringify(sent),
  };
  const headers = { ...responseHeaders, ...(status === 201 && created) };
  return violations({ operation: 'createItem', event }, { statusCode: status, headers, body: JSON.stringify(body) });
}
const afterSending = (sent: JsonObject, shown: JsonObject = {}, permissions = allPermissions) =>
  found(201, { data: { ...item, ...shown } }, { name: 'Chair', ...sent }, permissions);
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
  ['five decimals', afterSending({ value: 1 }, { value: 1.00001 }), 'value is 1.00001 after 1 was sent'],
  ['null for a tag that was sent empty', afterSending({ tag: '' }), 'tag is null after "" was sent'],
  ['another field than was sent', afterSending({}, { cost: 8.25 }), 'cost is 8.25 after undefined was sent'],
  ['a name that is invisible', afterSending({ name: '\u200b' }, { name: '\u200b' }), 'name is "\u200b"'],
  ['metadata of six levels', afterSending(sixLevels, sixLevels), `metadata is ${JSON.stringify(sixLevels.metadata)}`],
  ['a lone surrogate', afterSending({ tag: '\ud800' }, { tag: '\ud800' }), 'tag is "\\ud800"'],
  ['an item to a caller who may not edit', afterSending({}, {}, 'catalog:cost:read'), 'the caller may not edit'],
  ['the cost to a caller who may not see it', afterSending({}, {}, 'catalog:edit'), members],
])('it is a violation to return %s', (_case, violationsFound, violation) => {
  expect(violationsFound).toEqual([violation]);
});

it('it is a violation if an update changes a field that it did not name, or a refusal shows another item than before', () => {
  const known = new KnownItems();
  expect(known.violations('acme', item, true, { name: 'Chair' })).toEqual([]);
  const updated = { ...item, value: 2, tag: 'new' };
  expect(known.violations('acme', updated, false, { value: 2 })).toEqual(['tag is "new" after undefined was sent']);
  expect(known.violations('acme', updated, false)).toEqual([]);
  expect(known.violations('acme', item, false)).toHaveLength(2);
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
