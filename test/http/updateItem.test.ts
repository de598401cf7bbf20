import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { addCategory, addUnit, archiveCategory } from '../../lib/operator/accounts.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, create, update } from './requests.ts';
import {
  conflict,
  expectItem,
  expectRefusal,
  invalid,
  notFound,
  nothingToUpdate,
  type ShownItem,
  shownItem,
} from './responses.ts';
import { startTestCatalog, type TestCatalog } from './testCatalog.ts';

let catalog: TestCatalog;
beforeAll(async () => {
  catalog = await startTestCatalog();
});
afterAll(() => catalog.close());

let created = 0;

/** An item with values that are no defaults and codes that no other test has. */
async function fullItem(differences: JsonObject = {}): Promise<{ id: number; shown: ShownItem }> {
  created += 1;
  const sent = {
    name: 'Assembly',
    type: 'service',
    category: 3,
    value: 120.5,
    qty: 1.25,
    unit: 'day',
    description: 'On site',
    active: true,
    cost: 80.1234,
    tax: 7.654321,
    sku: `SKU-${created}`,
    pn: `PN-${created}`,
    tag: 'work;site',
    metadata: { team: 'north', size: { people: 2, hours: 3 } },
    ...differences,
  } as const;
  const shown = shownItem({ ...sent, category_name: 'Services' });
  return { id: expectItem(await catalog.send(create(sent)), shown, 1), shown };
}

/** What of the table an action adds, changes or removes, by the records' keys. */
async function changesBy(action: () => Promise<void>): Promise<string[]> {
  const before = await catalog.stored();
  await action();
  const after = await catalog.stored();
  const all = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...all].filter((key) => !isDeepStrictEqual(before[key], after[key])).sort();
}

const recordKey = (id: number): string => {
  const { pk, sk } = keys.item('demo-1', id);
  return `${pk} ${sk}`;
};

describe('an update changes what it names and nothing else (spec 4.2 rule 1)', () => {
  const changes: readonly [JsonObject, Partial<ShownItem>?][] = [
    [{ name: 'Repair' }],
    // The unit stays.
    [{ type: 'product' }],
    [{ category: 2 }, { category: 2, category_name: 'Furniture' }],
    [{ value: 1.23456 }, { value: 1.2346 }],
    [{ qty: 2.345 }, { qty: 2.35 }],
    // The quantity stays, though this unit has no decimals.
    [{ unit: 'un' }],
    [{ description: '' }],
    [{ active: false }],
    [{ cost: 0.00005 }, { cost: 0.0001 }],
    [{ tax: 1.0000005 }, { tax: 1.000001 }],
    [{ tag: '' }],
    [{ metadata: { floor: 3 } }, { metadata: { team: 'north', size: { people: 2, hours: 3 }, floor: 3 } }],
    [
      { qty: 2.5, unit: 'un' },
      { qty: 3, unit: 'un' },
    ],
    [{ value: 3, unknown: 1, id: 4711, category_name: 'Mine', create_date: 'never' }, { value: 3 }],
  ];

  it.each(changes)('%j', async (body, difference = body) => {
    const { id, shown } = await fullItem();
    const changed = await changesBy(async () => {
      expectItem(await catalog.send(update(id, body)), { ...shown, ...difference }, 2);
    });
    expect(changed).toEqual([recordKey(id)]);
    expectItem(await catalog.send(update(id, { metadata: null })), { ...shown, ...difference }, 3);
  });

  it.each(['sku', 'pn'] as const)('a new %s, and the guards of the old and the new one', async (name) => {
    const { id, shown } = await fullItem();
    const code = `NEW-${name}-${id}`;
    const changed = await changesBy(async () => {
      expectItem(await catalog.send(update(id, { [name]: code })), { ...shown, [name]: code }, 2);
    });
    const guard = (of: string | null) => `ACCOUNT#demo-1#${name.toUpperCase()}#${of} GUARD`;
    expect(changed).toEqual([recordKey(id), guard(shown[name]), guard(code)].sort());
  });

  it('the date of creation and the id stay', async () => {
    const answer = await catalog.send(create({ name: 'Chair' }));
    const { id, create_date } = JSON.parse(answer.text).data;
    const { data } = JSON.parse((await catalog.send(update(id, { name: 'Table' }))).text);
    expect([data.id, data.create_date]).toEqual([id, create_date]);
  });

  it('defaults do not come back (spec 4.2 rule 6)', async () => {
    const headers = bearer(catalog.tokens.otherAccount);
    const sent = { name: 'Chair', category: null, tax: 0, unit: 'kg', type: 'service' } as const;
    const shown = shownItem({ ...sent, category_name: null });
    const id = expectItem(await catalog.send(create(sent, headers)), shown, 1);
    expectItem(await catalog.send(update(id, { name: 'Table' }, headers)), { ...shown, name: 'Table' }, 2);
  });
});

describe('values', () => {
  it('zero and false are applied (spec 4.2 rule 2)', async () => {
    const { id, shown } = await fullItem();
    const zeros = { value: 0, qty: 0, cost: 0, tax: 0, active: false };
    expectItem(await catalog.send(update(id, zeros)), { ...shown, ...zeros }, 2);
  });

  it.each([
    [0, false],
    [1, true],
    [false, false],
    [true, true],
  ])('active %j is answered as %j', async (active, shownActive) => {
    const { id, shown } = await fullItem({ active: !shownActive });
    expectItem(await catalog.send(update(id, { active })), { ...shown, active: shownActive }, 2);
  });

  it.each(['category', 'description', 'tag', 'sku', 'pn'] as const)(
    'null removes %s (spec 4.2 rule 3)',
    async (name) => {
      const { id, shown } = await fullItem();
      const removed = { ...shown, [name]: null, ...(name === 'category' && { category_name: null }) };
      expectItem(await catalog.send(update(id, { [name]: null })), removed, 2);
      expect((await catalog.stored())[recordKey(id)]).not.toHaveProperty(name);
    },
  );

  it('null removes all five at once, also where there is nothing (spec 4.2 rule 3)', async () => {
    const { id, shown } = await fullItem();
    const none = { category: null, description: null, tag: null, sku: null, pn: null };
    const guards = await changesBy(async () => {
      expectItem(await catalog.send(update(id, none)), { ...shown, ...none, category_name: null }, 2);
    });
    expect(guards).toHaveLength(3);
    expectItem(await catalog.send(update(id, none)), { ...shown, ...none, category_name: null }, 3);
  });

  it.each(['name', 'type', 'unit', 'active', 'value', 'qty', 'cost', 'tax'] as const)(
    '%s does not accept null (spec 4.2 rule 4)',
    async (name) => {
      const { id } = await fullItem();
      const changed = await changesBy(async () => {
        const body = { description: 'New', sku: null, [name]: null };
        expectRefusal(await catalog.send(update(id, body)), invalid(name));
      });
      expect(changed).toEqual([]);
    },
  );

  it('a qty without a unit is rounded by the stored unit', async () => {
    const { id, shown } = await fullItem({ unit: 'kg', qty: 1 });
    expectItem(await catalog.send(update(id, { qty: 0.0045 })), { ...shown, qty: 0.005 }, 2);
    expectItem(await catalog.send(update(id, { unit: 'g' })), { ...shown, qty: 0.005, unit: 'g' }, 3);
    expectItem(await catalog.send(update(id, { qty: 1.5 })), { ...shown, qty: 2, unit: 'g' }, 4);
  });
});

describe('metadata (spec 4.2 rule 5)', () => {
  const kept = { team: 'north', size: { people: 2, hours: 3 } };

  it.each([
    ['a new key is added (spec 2.2 rule 1)', { floor: 3 }, { ...kept, floor: 3 }],
    ['a known key is replaced as a whole (spec 2.2 rule 1)', { size: { people: 4 } }, { ...kept, size: { people: 4 } }],
    ['a key with null is removed (spec 2.2 rule 2)', { team: null }, { size: kept.size }],
    ['all keys can be removed (spec 2.2 rule 2)', { team: null, size: null }, {}],
    ['null within a value is kept', { size: { people: null } }, { ...kept, size: { people: null } }],
    ['a key that is not there is removed in vain', { absent: null }, kept],
    ['null preserves all (spec 2.2 rule 3)', null, kept],
    ['an empty object preserves all', {}, kept],
    ['a key with a dot is no path', { 'size.people': 9 }, { ...kept, 'size.people': 9 }],
  ])('%s', async (_, metadata: JsonObject | null, merged) => {
    const { id, shown } = await fullItem();
    expectItem(await catalog.send(update(id, { metadata })), { ...shown, metadata: merged }, 2);
    expectItem(await catalog.send(update(id, { metadata: null })), { ...shown, metadata: merged }, 3);
  });

  it('omitted preserves all (spec 2.2 rule 3)', async () => {
    const { id, shown } = await fullItem();
    expectItem(await catalog.send(update(id, { name: 'Repair' })), { ...shown, name: 'Repair' }, 2);
  });
});

describe('a body with no supported field', () => {
  it.each(['', '{}', '{"unknown":1}', '{"id":1,"category_name":"General","create_date":"2026-11-20T23:10:00+00:00"}'])(
    '%j is NOTHING_TO_UPDATE (spec 4.2 rule 7)',
    async (body) => {
      const { id } = await fullItem();
      const changed = await changesBy(async () => {
        expectRefusal(await catalog.send(update(id, body)), nothingToUpdate);
      });
      expect(changed).toEqual([]);
    },
  );

  it('is not one whose fields change nothing', async () => {
    const { id, shown } = await fullItem();
    const { category_name: _, ...same } = shown;
    for (const [index, body] of [same, { metadata: null }, { metadata: {} }, { value: same.value }].entries())
      expectItem(await catalog.send(update(id, body)), shown, index + 2);
  });
});

describe('a refused update changes nothing', () => {
  it("of an item that is not there, or is another account's (spec 7.2)", async () => {
    const { id } = await fullItem();
    const changed = await changesBy(async () => {
      expectRefusal(await catalog.send(update(4_711, { value: 1 })), notFound);
      const foreign = update(id, { value: 1, sku: null }, bearer(catalog.tokens.otherAccount));
      expectRefusal(await catalog.send(foreign), notFound);
    });
    expect(changed).toEqual([]);
  });

  it('with a code that another item has (spec 7.2)', async () => {
    const [first, second] = [await fullItem(), await fullItem()];
    const { sku, pn } = first.shown;
    const changed = await changesBy(async () => {
      for (const codes of [{ sku }, { pn }, { sku, pn }, { sku: 'FREE', pn }, { sku: null, pn }])
        expectRefusal(await catalog.send(update(second.id, { value: 1, ...codes })), conflict);
    });
    expect(changed).toEqual([]);
  });

  it('with invalid fields, all of which are told in the order of spec table 2.1', async () => {
    const { id } = await fullItem();
    const changed = await changesBy(async () => {
      const body = { metadata: [], tax: -1, category: 4, name: '', description: 'New' };
      expectRefusal(await catalog.send(update(id, body)), invalid('name', 'category', 'tax', 'metadata'));
    });
    expect(changed).toEqual([]);
  });

  it('without a token, or the permission to edit the catalog (spec 5)', async () => {
    const { id } = await fullItem();
    const changed = await changesBy(async () => {
      const anonymous = await catalog.send(update(id, { value: 1 }, { authorization: undefined }));
      expectRefusal(anonymous, { status: 401, code: 'UNAUTHORIZED' });
      const reader = await catalog.send(update(id, { value: 1 }, bearer(catalog.tokens.reader)));
      expectRefusal(reader, { status: 403, code: 'FORBIDDEN' });
    });
    expect(changed).toEqual([]);
  });

  it('that names another revision in If-Match', async () => {
    const { id, shown } = await fullItem();
    expectItem(await catalog.send(update(id, { value: 1 }, { 'if-match': '"1"' })), { ...shown, value: 1 }, 2);
    const changed = await changesBy(async () => {
      const late = await catalog.send(update(id, { value: 2, sku: null }, { 'if-match': '"1"' }));
      expectRefusal(late, { status: 412, code: 'PRECONDITION_FAILED' });
    });
    expect(changed).toEqual([]);
    expectItem(await catalog.send(update(id, { value: 2 }, { 'if-match': '*' })), { ...shown, value: 2 }, 3);
  });
});

describe('cost', () => {
  it('is left out for a caller who may not see it, who may set and must not lose it', async () => {
    const { id, shown } = await fullItem();
    const { cost: _, ...withoutCost } = shown;
    const headers = bearer(catalog.tokens.editorWithoutCost);
    expectItem(await catalog.send(update(id, { value: 1 }, headers)), { ...withoutCost, value: 1 }, 2);
    expectItem(await catalog.send(update(id, { value: 2 })), { ...shown, value: 2 }, 3);
    expectItem(await catalog.send(update(id, { cost: 9 }, headers)), { ...withoutCost, value: 2 }, 4);
    expectItem(await catalog.send(update(id, { value: 3 })), { ...shown, value: 3, cost: 9 }, 5);
  });
});

describe('what operators set up', () => {
  it('is known at once to a function that has just read the account: a new category and a new unit', async () => {
    const work = timedContext(Date.now() + 5_000);
    const { id, shown } = await fullItem();
    const category = await addCategory(catalog.database, work, 'demo-1', 'New');
    await addUnit(catalog.database, work, 'demo-1', 'ton', 1);
    const difference = { category, unit: 'ton' };
    const item = { ...shown, ...difference, category_name: 'New', qty: 1.3 };
    expectItem(await catalog.send(update(id, { ...difference, qty: 1.25 })), item, 2);
  });

  it('an archived category stays on its items and is shown, but cannot be chosen', async () => {
    const work = timedContext(Date.now() + 5_000);
    const category = await addCategory(catalog.database, work, 'demo-1', 'Outdated');
    const { id, shown } = await fullItem();
    const item = { ...shown, category, category_name: 'Outdated' };
    expectItem(await catalog.send(update(id, { category })), item, 2);
    await archiveCategory(catalog.database, work, 'demo-1', category);
    // What a container knows of an account lasts for a minute, unless it meets something that it does not know.
    expectRefusal(await catalog.send(update(id, { category: 999 })), invalid('category'));
    expectItem(await catalog.send(update(id, { value: 1 })), { ...item, value: 1 }, 3);
    for (const request of [update(id, { category }), create({ name: 'Chair', category })])
      expectRefusal(await catalog.send(request), invalid('category'));
  });
});
