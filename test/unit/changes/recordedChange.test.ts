import { expect, it } from 'vitest';
import { presentChange } from '../../../lib/changes/recordedChange.ts';
import { type FieldChange, fieldChanges } from '../../../lib/item/fieldChanges.ts';
import { fieldNames } from '../../../lib/item/fields.ts';
import { sampleBody } from '../../support/items/sampleItem.ts';

const caller = { account: 'acme', user: 'ann', permissions: [], expiresAt: 0 };
const change = { number: 1, item: 1, revision: 2, updatedAt: 0, updatedBy: 'ann', recordedAt: undefined };
const withoutValues = (fields: readonly FieldChange[]) => fields.map(({ from: _from, to: _to, ...name }) => name);
const [created, removed] = [fieldChanges(undefined, sampleBody), fieldChanges(sampleBody, undefined)];

it.each<[string, 'created' | 'updated' | 'removed', readonly FieldChange[]]>([
  ['created', 'created', created],
  ['removed', 'removed', removed],
  ['updated', 'updated', fieldChanges(sampleBody, { ...sampleBody, cost: 1, value: 1 })],
  ['changed in its cost alone', 'updated', fieldChanges(sampleBody, { ...sampleBody, cost: 1 })],
  ['changed in values that are too large to be kept', 'updated', withoutValues(created)],
  ['written with an unreadable image', 'updated', fieldNames.map((field) => ({ field }))],
])('of an item that was %s shows the cost only to those who may see it, and no values not kept', (_, kind, fields) => {
  const shownTo = (permissions: readonly 'catalog:cost:read'[]) =>
    presentChange({ ...change, kind, fields }, { ...caller, permissions }).fields;
  const expected = fields.map(({ key, ...shown }) => ({ ...shown, ...(key !== undefined && { path: `/${key}` }) }));
  // Unlike toEqual, this does not take undefined for nothing.
  expect(shownTo(['catalog:cost:read'])).toStrictEqual(expected);
  expect(shownTo([])).toStrictEqual(expected.filter(({ field }) => field !== 'cost'));
});
