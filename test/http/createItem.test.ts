import { describe, expect, it } from 'vitest';
import { fieldNames } from '../../lib/item/fields.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { create } from '../support/api/apiRequests.ts';
import { changedRecords, expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { invalid } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { sampleBody } from '../support/items/sampleItem.ts';

const api = await startTestApi();

const chair = { name: 'Chair' };

describe('the response to a create', () => {
  it('has every field of spec table 2.1 as sent, in the order of the table', async () => {
    const request = { ...create(sampleBody), method: 'POST', path: '/api/v1/api/v1/items' };
    const response = await api.send(request);
    expectItem(response, shownItem({ ...sampleBody, category_name: 'Furniture' }), 1);
    expect(response.text).toMatch(
      /^\{"data":\{"id":\d+,"name":"Chair","type":"service","category":2,"category_name":"Furniture","value":12\.5,/,
    );
  });

  it('has the defaults of spec table 2.1 for omitted fields', async () => {
    expectItem(await api.send(create(chair)), shownItem(), 1);
  });

  it('has a Location and an ETag that an update can use as its path and If-Match', async () => {
    const { headers } = await api.send(create(chair));
    const condition = { 'if-match': headers['etag'] };
    const response = await api.send({
      method: 'PUT',
      path: headers['location'] ?? '',
      headers: condition,
      body: '{"value":1}',
    });
    expectItem(response, shownItem({ value: 1 }), 2);
  });
});

describe('a created item', () => {
  it('is stored as in the response, with a guard for each identifier', async () => {
    const body = { ...sampleBody, cost: 80.1234, tax: 7.654321, sku: 'AS-2', pn: 'PN-2' };
    let id = 0;
    const changed = await changedRecords(api, async () => {
      id = expectItem(await api.send(create(body)), shownItem({ ...body, category_name: 'Furniture' }), 1);
    });
    expect(changed).toEqual([
      expect.stringMatching(/^ACCOUNT#demo-1#ITEMS ITEM#\d{16}$/),
      'ACCOUNT#demo-1#PN#PN-2 GUARD',
      'ACCOUNT#demo-1#SKU#AS-2 GUARD',
    ]);
    const { pk, sk } = keys.item('demo-1', id);
    expect((await api.records())[`${pk} ${sk}`]).toMatchObject({ ...body, id, revision: 1, written_by: 'editor' });
  });
});

describe('returns 422 with all invalid fields in the order of table 2.1, and creates nothing (spec 4.1 rule 1)', () => {
  it.each([
    ['all fields', Object.fromEntries(fieldNames.toReversed().map((field) => [field, [0]])), fieldNames],
    ['an unknown category and unit', { ...chair, unit: 'parsec', category: 9 }, ['category', 'unit']],
  ] as const)('%s', async (_, body, fields) => {
    await expectRefused(api, create(body), invalid(...fields));
  });

  it('with the rule that each breaks, and its limit', async () => {
    const body = {
      name: 'a\nb',
      type: 'x',
      category: 9,
      value: 1e9,
      cost: '5',
      sku: 'x'.repeat(46),
      metadata: { size: { people: ['\ud800'] } },
    };
    const { fields } = JSON.parse((await api.send(create(JSON.stringify(body)))).text).error;
    expect(fields.map(({ reason: _, ...others }: { reason: string }) => others)).toEqual([
      { field: 'name', rule: 'pattern' },
      { field: 'type', rule: 'choice' },
      { field: 'category', rule: 'unknown_reference' },
      { field: 'value', rule: 'max', limit: 99_999_999.9999 },
      { field: 'cost', rule: 'type' },
      { field: 'sku', rule: 'max_length', limit: 45 },
      { field: 'metadata', rule: 'pattern', path: '/size/people/0' },
    ]);
  });
});
