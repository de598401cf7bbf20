import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../lib/item/json.ts';
import type { Records } from '../../../lib/operator/verification/finding.ts';
import { recheck } from '../../../lib/operator/verification/recheck.ts';
import type { Suspect } from '../../../lib/operator/verification/suspect.ts';
import { newAccountRecord, newCategoryRecord, newUnitRecord } from '../../../lib/store/records/accountRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { isSameKey, keyIn } from '../../../lib/store/records/parseKey.ts';
import { counter, item } from '../../support/storedRecords.ts';

const now = 1_000_000;
const account = 'acme';
type Look = readonly JsonObject[];

/** A table that changes with each read. The last state remains. */
function changing(...looks: Look[]): Records {
  let reads = 0;
  const current = () => looks[Math.min(reads++, looks.length - 1)] ?? [];
  return {
    get: async (key) => current().find((record) => isSameKey(keyIn(record), key)),
    query: async (partition) => current().filter(({ pk }) => pk === partition),
  };
}

const found = (suspect: Suspect, ...looks: Look[]) => recheck(changing(...looks), suspect, now);

describe('the unit of an item', () => {
  const suspect: Suspect = { of: 'reference', account, field: 'unit', value: 'pair', items: [2, 1], count: 5 };
  const items = (...units: string[]) => units.map((unit, index) => item(account, index + 1, { unit }));
  const finding = { kind: 'unknown unit', account, value: 'pair' };

  it('is unknown if it is missing after the items were read', async () => {
    expect(await found(suspect, items('pair', 'pair'))).toEqual({ ...finding, items: [1, 2], count: 5 });
  });

  it('is not reported for items that have another unit by now', async () => {
    expect(await found(suspect, items('pair', 'un'))).toEqual({ ...finding, items: [1], count: 4 });
    expect(await found(suspect, items('un', 'un'))).toBeUndefined();
    expect(await found(suspect, [])).toBeUndefined();
  });

  it('is known if it was registered after the scan', async () => {
    const unit = newUnitRecord(account, 'pair', 0);
    expect(await found(suspect, items('pair', 'pair'), items('pair', 'pair'), [unit])).toBeUndefined();
  });
});

describe('the category of an item', () => {
  const suspect: Suspect = { of: 'reference', account, field: 'category', value: 3, items: [1], count: 1 };
  const named = item(account, 1, { category: 3 });

  it('is unknown if it is missing, and known if it exists, archived or not', async () => {
    expect(await found(suspect, [named])).toMatchObject({ kind: 'unknown category', value: 3, items: [1] });
    const category = { ...newCategoryRecord(account, 3, 'Old'), archived: true };
    expect(await found(suspect, [named, category])).toBeUndefined();
  });
});

describe('the default category', () => {
  const suspect: Suspect = { of: 'default category', account };
  const withDefault = (id?: number) => ({ ...newAccountRecord(account), ...(id && { default_category: id }) });
  const archived = { ...newCategoryRecord(account, 1, 'Old'), archived: true };

  it('is wrong if it was the default both before and after its category was read', async () => {
    expect(await found(suspect, [withDefault(1)])).toEqual({ kind: 'default category unknown', account, category: 1 });
    expect(await found(suspect, [withDefault(1), archived])).toMatchObject({ kind: 'default category archived' });
  });

  it.each<[string, Look[]]>([
    [
      'was made the default while its category was added',
      [[], [newCategoryRecord(account, 1, 'New')], [withDefault(1)]],
    ],
    ['is another one before it is archived', [[withDefault(1)], [archived], [withDefault(2)]]],
    ['is none before it is archived', [[withDefault(1)], [archived], [withDefault()]]],
    ['is none', [[withDefault()]]],
    ['is of no account', [[]]],
    ['is open', [[withDefault(1), newCategoryRecord(account, 1, 'New')]]],
  ])('is right if it %s', async (_case, looks) => {
    expect(await found(suspect, ...looks)).toBeUndefined();
  });
});

describe('the id of the last category', () => {
  const suspect: Suspect = { of: 'category ids', account, highest: 4 };
  const last = (id: unknown) => ({ ...newAccountRecord(account), last_category: id as number });
  const { last_category: _, ...without } = newAccountRecord(account);

  it.each<[string, Look, object | undefined]>([
    ['is too low', [last(3)], { last: 3, highest: 4 }],
    ['is missing', [without], { last: null }],
    ['was raised after the scan', [last(4)], undefined],
    ['cannot be read, which is a separate finding', [last('3')], undefined],
    ['is of no account', [], undefined],
  ])('%s', async (_case, look, finding) => {
    const outcome = await found(suspect, look);
    if (finding === undefined) expect(outcome).toBeUndefined();
    else expect(outcome).toMatchObject({ kind: 'category above last', ...finding });
  });
});

describe('the id counter', () => {
  const suspect = (highest: number): Suspect => ({ of: 'counter', account, highest });

  it.each<[string, number, Look, string | undefined]>([
    ['is missing where nothing was created', 0, [], undefined],
    ['is missing', 1, [], 'id above counter'],
    ['is as high as the highest id', 7, [counter(account, 7)], undefined],
    ['is at half of all ids', 7, [counter(account, (2 ** 53 - 2) / 2)], undefined],
    ['is above half of all ids', 7, [counter(account, 2 ** 52)], 'counter near its end'],
    ['is not a safe integer, which is a separate finding', 7, [counter(account, 2 ** 53)], undefined],
  ])('%s', async (_case, highest, look, kind) => {
    expect((await found(suspect(highest), look))?.kind).toBe(kind);
  });
});

describe('an idempotency record', () => {
  const key = keys.idempotency(account, 'f00');
  const record = (copy: JsonObject, parts: object = {}) => ({
    ...{ ...key, fingerprint: 'a', item: copy, expires_at: now / 1_000 + 60 },
    ...parts,
  });
  const lost = record(item(account, 9));
  const other = record(item('other', 9));

  it.each<[string, Look[], string | undefined]>([
    ['has an item that does not exist', [[lost]], 'idempotency record without item'],
    ["is of another account's item", [[other, item('other', 9)]], 'idempotency record of another account'],
    ['has an item that exists', [[lost, item(account, 9)]], undefined],
    ['was deleted after the scan', [[]], undefined],
    ['has ended', [[record(item(account, 9), { expires_at: now / 1_000 })]], undefined],
    ['cannot be read, which is a separate finding', [[record({})]], undefined],
  ])('%s', async (_case, looks, kind) => {
    expect((await found({ of: 'idempotency record', key }, ...looks))?.kind).toBe(kind);
  });

  const day = now / 1_000 + 86_400;
  it.each<[string, Look, string | undefined]>([
    ['never expires', [record({}, { expires_at: undefined })], 'idempotency record expiry'],
    ['has an expiry that is not a number', [record({}, { expires_at: '2' })], 'idempotency record expiry'],
    ['expires later than any clock skew explains', [record({}, { expires_at: day + 6 })], 'idempotency record expiry'],
    ['expires as late as clock skew allows', [record({}, { expires_at: day + 5 })], undefined],
    ['was deleted after the scan', [], undefined],
  ])('%s', async (_case, look, kind) => {
    expect((await found({ of: 'expiry', key }, look))?.kind).toBe(kind);
  });
});

describe('the position of an item in the list', () => {
  const suspect: Suspect = { of: 'list position', account, id: 1 };
  const { list_pk: _, list_sk: __, ...older } = item(account, 1);
  const { name: ___, ...nameless } = older;

  it.each<[string, Look, object | undefined]>([
    ['is missing', [older], { kind: 'item not listed', account, id: 1, name: 'Chair', revision: 1 }],
    ['is that of its name', [item(account, 1)], undefined],
    ['is not needed: the item was deleted after the scan', [], undefined],
    ['is missing for an unreadable item, which is a separate finding', [nameless], undefined],
  ])('%s', async (_case, look, finding) => {
    expect(await found(suspect, look)).toEqual(finding);
  });
});

describe('an item with an expiry', () => {
  const key = keys.item(account, 1);

  it('is a finding, unless the expiry was removed after the scan', async () => {
    const suspect: Suspect = { of: 'expiry', key };
    expect(await found(suspect, [item(account, 1, { expires_at: 5 })])).toEqual({ kind: 'expiring record', key });
    expect(await found(suspect, [item(account, 1)])).toBeUndefined();
    expect(await found(suspect, [])).toBeUndefined();
  });
});
