import { describe, expect, it, vi } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { byName, identifierNames } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, create, update } from '../support/api/apiRequests.ts';
import { changedRecords, expectItem, expectRefused, type ShownItem, shownItem } from '../support/api/apiResponses.ts';
import { invalid } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { sampleBody } from '../support/items/sampleItem.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

const api = await startTestApi();

let created = 0;

/** Creates an item in which no field has its default, with identifiers that no other test uses. */
async function createSample(differences: JsonObject = {}): Promise<{ id: number; shown: ShownItem }> {
  created += 1;
  const body = { ...sampleBody, ...byName(identifierNames, (name) => `${name}-${created}`), ...differences };
  const shown = shownItem({ ...body, category_name: 'Furniture' });
  return { id: expectItem(await api.send(create(body)), shown, 1), shown };
}

const recordKey = (id: number): string => {
  const { pk, sk } = keys.item('demo-1', id);
  return `${pk} ${sk}`;
};

/** Reads an item by an update that changes nothing but the revision. */
const expectStored = async (id: number, item: ShownItem, revision: number) =>
  expectItem(await api.send(update(id, { metadata: null })), item, revision);

describe('an update changes the fields it names and no others (spec 4.2 rule 1)', () => {
  const changes: readonly [JsonObject, Partial<ShownItem>?][] = [
    [{ name: 'Repair' }],
    // The unit stays.
    [{ type: 'product' }],
    [{ category: 3 }, { category: 3, category_name: 'Services' }],
    [{ value: 1.23456 }, { value: 1.2346 }],
    // The quantity stays, though this unit has no decimals.
    [{ unit: 'un' }],
    [{ value: 3, unknown: 1, id: 4711, category_name: 'Mine', create_date: 'never' }, { value: 3 }],
  ];

  it.each(changes)('%j', async (body, difference = body) => {
    const { id, shown } = await createSample({ qty: 1.125 });
    const changed = await changedRecords(api, async () => {
      expectItem(await api.send(update(id, body)), { ...shown, ...difference }, 2);
    });
    expect(changed).toEqual([recordKey(id)]);
    await expectStored(id, { ...shown, ...difference }, 3);
  });

  it.each(['sku', 'pn'] as const)('a new %s replaces the guard of the old one', async (name) => {
    const { id, shown } = await createSample();
    const identifier = `NEW-${name}-${id}`;
    const changed = await changedRecords(api, async () => {
      expectItem(await api.send(update(id, { [name]: identifier })), { ...shown, [name]: identifier }, 2);
    });
    const guard = (of: string | null) => `ACCOUNT#demo-1#${name.toUpperCase()}#${of} GUARD`;
    expect(changed).toEqual([recordKey(id), guard(shown[name]), guard(identifier)].sort());
  });

  it('keeps the cost when a caller who may not see it updates the item, unless they set it', async () => {
    const { id, shown } = await createSample();
    const { cost: _, ...withoutCost } = shown;
    const headers = bearer(api.tokens.editorWithoutCost);
    expectItem(await api.send(update(id, { value: 1 }, headers)), { ...withoutCost, value: 1 }, 2);
    expectItem(await api.send(update(id, { value: 2 })), { ...shown, value: 2 }, 3);
    expectItem(await api.send(update(id, { cost: 9 }, headers)), { ...withoutCost, value: 2 }, 4);
    expectItem(await api.send(update(id, { value: 3 })), { ...shown, value: 3, cost: 9 }, 5);
  });
});

describe('values', () => {
  it('null removes all five fields at once, with their guards, and can be sent again (spec 4.2 rule 3)', async () => {
    const { id, shown } = await createSample();
    const nulls = { category: null, description: null, tag: null, sku: null, pn: null };
    const removed = { ...shown, ...nulls, category_name: null };
    const changed = await changedRecords(api, async () => {
      expectItem(await api.send(update(id, nulls)), removed, 2);
    });
    expect(changed).toHaveLength(3);
    const record = (await api.records())[recordKey(id)] ?? {};
    expect(Object.keys(nulls).filter((name) => name in record)).toEqual([]);
    expectItem(await api.send(update(id, nulls)), removed, 3);
  });

  it('qty without a unit is rounded by the stored unit', async () => {
    const { id, shown } = await createSample({ unit: 'kg', qty: 1 });
    expectItem(await api.send(update(id, { qty: 0.0045 })), { ...shown, qty: 0.005 }, 2);
    expectItem(await api.send(update(id, { unit: 'g' })), { ...shown, qty: 0.005, unit: 'g' }, 3);
    expectItem(await api.send(update(id, { qty: 1.5 })), { ...shown, qty: 2, unit: 'g' }, 4);
  });

  it('saving a whole form rounds a quantity that an earlier change of unit had kept', async () => {
    const { id, shown } = await createSample({ unit: 'kg', qty: 0.25 });
    const response = await api.send(update(id, { unit: 'un' }));
    expectItem(response, { ...shown, qty: 0.25, unit: 'un' }, 2);
    const { data } = JSON.parse(response.text);
    expectItem(await api.send(update(id, data)), { ...shown, qty: 0, unit: 'un' }, 3);
  });

  it('fields that already have the sent value do not cause NOTHING_TO_UPDATE', async () => {
    const { id, shown } = await createSample();
    const { category_name: _, ...same } = shown;
    for (const [index, body] of [same, { metadata: null }, { metadata: {} }, { value: same.value }].entries())
      expectItem(await api.send(update(id, body)), shown, index + 2);
  });
});

describe('metadata (spec 4.2 rule 5)', () => {
  const stored = { team: 'north', size: { people: 2, hours: 3 } };

  it.each([
    ['adds a new key (spec 2.2 rule 1)', { floor: 3 }, { ...stored, floor: 3 }],
    ['replaces the whole value of a known key (spec 2.2 rule 1)', { size: { x: 4 } }, { ...stored, size: { x: 4 } }],
    ['removes a key sent as null (spec 2.2 rule 2)', { team: null }, { size: stored.size }],
    ['keeps every key when it is null (spec 2.2 rule 3)', null, stored],
  ])('%s', async (_, metadata: JsonObject | null, merged) => {
    const { id, shown } = await createSample({ metadata: stored });
    expectItem(await api.send(update(id, { metadata })), { ...shown, metadata: merged }, 2);
    await expectStored(id, { ...shown, metadata: merged }, 3);
  });
});

describe('the configuration of an account', () => {
  const operatorContext = () => timedContext(Date.now() + 60_000);

  it('keeps an archived category on its items, and returns 422 for other items that choose it', async () => {
    const category = await configureAccount(api.database.for(operatorContext()), 'demo-1').addCategory('Outdated');
    const { id, shown } = await createSample();
    const item = { ...shown, category, category_name: 'Outdated' };
    expectItem(await api.send(update(id, { category })), item, 2);
    await configureAccount(api.database.for(operatorContext()), 'demo-1').changeCategory(category, { archived: true });
    // A container caches the account for a minute.
    setAhead(130_000);
    expectItem(await api.send(update(id, { value: 1 })), { ...item, value: 1 }, 3);
    // A form sends everything back, also when it changes an identifier.
    expectItem(await api.send(update(id, { ...item, value: 2 })), { ...item, value: 2 }, 4);
    expectItem(await api.send(update(id, { ...item, sku: 'MOVED' })), { ...item, sku: 'MOVED' }, 5);
    const other = await createSample();
    const bodies = [{ category }, { ...item, sku: 'MOVED', pn: null }, { category, sku: 'FREE' }];
    const updates = [other.id, 4_711].flatMap((target) => bodies.map((body) => update(target, body)));
    await expectRefused(api, [...updates, create({ name: 'Chair', category })], invalid('category'));
  });
});
