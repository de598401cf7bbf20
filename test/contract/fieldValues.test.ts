import { randomUUID } from 'node:crypto';
import { beforeAll, describe, it } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { type FieldName, fieldNames } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { noIdentifiers } from '../../lib/store/records/guardRecord.ts';
import { bearer, create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefused, type ShownItem, shownItem } from '../support/api/apiResponses.ts';
import { alreadyExists, invalid, invalidMetadata, type Refusal } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { sampleBody } from '../support/items/sampleItem.ts';

const api = await startTestApi();

/** The beginning of a JSON text, and its length if that is not all, for the title of a test. */
const shortened = (json: string): string =>
  json.length > 60 ? `${json.slice(0, 50).toWellFormed()}… (${json.length})` : json;

const characters = (count: number, character = 'x'): string => JSON.stringify(character.repeat(count));
const metadataKeys = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, index])));
const nestedArrays = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

/** JSON that is refused as `metadata`, with the places that are named; none where it is all of it. */
const refusedMetadata: Readonly<Record<string, readonly string[]>> = {
  '[]': [],
  [metadataKeys(101)]: [],
  [`{${characters(65, '🪑')}:1}`]: [`/${'🪑'.repeat(65)}`],
  '{"a":1e400}': ['/a'],
  '{"size":{"people":[1e300,2]},"a/b":{"m~n":1e300}}': ['/size/people/0', '/a~1b/m~0n'],
  '{"a":[{"b":{"__proto__":1}}]}': ['/a/0/b/__proto__'],
  '{"\\ud800":1}': ['/\ud800'],
  [nestedArrays(130_000)]: ['/a/0/0/0/0'],
};

const amount = ['null', '"12.5"', '-0.0001', '99999999.99991', '1e400'];
const identifier = [characters(limits.identifier.max + 1, '🪑'), '7', '"\\ud83d"', '"a\\u0000b"', '"A\\u202eB"'];

/** JSON values that creates and updates refuse, by field: one for each way to be wrong that JSON or an account adds. */
const refusedValues: Record<FieldName, readonly string[]> = {
  name: ['null', '"  \\t"', characters(limits.name.max + 1, '🪑'), '7', '"a\\udc00b"', '"a\\u0085b"'],
  type: ['null', '"Product"', '["product"]'],
  // Category 4 is archived.
  category: ['0', '"3"', '9007199254740992', '1e400', '99', '4'],
  value: amount,
  qty: amount,
  unit: ['null', '"parsec"', '"constructor"', '"__proto__"', '7'],
  description: [characters(limits.description.max + 1), '{}', '"\\ud83d"'],
  active: ['null', '"true"', '2'],
  cost: amount,
  tax: [...amount, '999999.9999991'],
  sku: identifier,
  pn: identifier,
  tag: [characters(limits.tag.max + 1), '{}', '"\\ud83d"'],
  metadata: Object.keys(refusedMetadata),
};

describe.each(fieldNames)('returns 422 for %s', (field) => {
  let item: number;
  beforeAll(async () => {
    item = expectItem(await api.send(create({ name: 'Chair' })), shownItem(), 1);
  });

  it.each(refusedValues[field].map((json) => [shortened(json), json] as const))('%s', async (_, json) => {
    const inCreate = field === 'name' ? `{"name":${json}}` : `{"name":"Chair","${field}":${json}}`;
    const requests = [create(inCreate), update(item, `{"value":5,"${field}":${json}}`)];
    const refusal = field === 'metadata' ? invalidMetadata(...(refusedMetadata[json] ?? [])) : invalid(field);
    await expectRefused(api, requests, refusal);
  });
});

describe('returns 422 for a reference that only another account has', () => {
  it.each([
    ['category', 2],
    ['unit', 'pallet'],
  ] as const)('its %s', async (field, value) => {
    const asOtherAccount = bearer(api.tokens.otherAccount);
    const foreign = await api.send(create({ name: 'Chair' }, asOtherAccount));
    const foreignItem = expectItem(foreign, shownItem({ tax: 2.5 }), 1);
    if (field === 'unit')
      await configureAccount(api.database.for(timedContext(Date.now() + 60_000)), 'demo-1').addUnit(value, 0);
    const shown = shownItem({ [field]: value, ...(field === 'category' && { category_name: 'Furniture' }) });
    expectItem(await api.send(create({ name: 'Chair', [field]: value })), shown, 1);

    const body = { name: 'Chair', [field]: value };
    const requests = [create(body, asOtherAccount), update(foreignItem, body, asOtherAccount)];
    await expectRefused(api, requests, invalid(field));
  });
});

type Accepted = readonly [members: string, shown: Partial<ShownItem>];

const amounts = (['value', 'cost'] as const).flatMap((field): Accepted[] => [
  [`"${field}":-0`, { [field]: 0 }],
  [`"${field}":99999999.9999`, { [field]: 99_999_999.9999 }],
  [`"${field}":0.00005`, { [field]: 0.0001 }],
]);

/** Keys that mean something to JavaScript or to DynamoDB's expressions. */
const notorious = {
  constructor: 1,
  toString: 'a',
  hasOwnProperty: true,
  'a.b': [1, null],
  '#n': { ':v': null },
  ':v': -0.5,
  'a[0]': '',
  'SET x=1': {},
  size: 0,
};

const metadataOf = (value: JsonObject): Accepted => [`"metadata":${JSON.stringify(value)}`, { metadata: value }];

/** JSON members that creates and updates accept, and what the item then shows. */
const acceptedMembers: readonly Accepted[] = [
  [`"name":"${'🪑'.repeat(limits.name.max)}"`, { name: '🪑'.repeat(limits.name.max) }],
  ['"name":"\\u0041\\ud83e\\ude91"', { name: 'A🪑' }],
  ['"name":"first","name":"last"', { name: 'last' }],
  ['"value":3,"__proto__":{"name":"Table","value":5}', { value: 3 }],
  ['"type":"product","unit":"kg"', { type: 'product', unit: 'kg' }],
  ['"active":0', { active: false }],
  ...amounts,
  ['"tax":999999.999999', { tax: 999_999.999999 }],
  ['"qty":0,"unit":"kg"', { qty: 0, unit: 'kg' }],
  ['"qty":1.005,"unit":"hour"', { qty: 1.01, unit: 'hour' }],
  ['"qty":99999999.9999,"unit":"un"', { qty: 99_999_999, unit: 'un' }],
  ['"category":3', { category: 3, category_name: 'Services' }],
  ['"category":null', { category: null, category_name: null }],
  ['"sku":"","pn":" \\t "', { sku: null, pn: null }],
  ['"tag":"<script>","description":""', { tag: '<script>', description: '' }],
  ['"tag":"","description":null', { tag: '', description: null }],
  [`"description":"${'🪑'.repeat(limits.description.max)}"`, { description: '🪑'.repeat(limits.description.max) }],
  [`"tag":"${'🪑'.repeat(limits.tag.max)}"`, { tag: '🪑'.repeat(limits.tag.max) }],
  ['"description":"a\\n\\u0000b","tag":" a;b, c "', { description: 'a\n\0b', tag: ' a;b, c ' }],
  ['"metadata":null', {}],
  ['"metadata":{"absent":null}', {}],
  ['"metadata":{"a":1,"a":2}', { metadata: { a: 2 } }],
  metadataOf(notorious),
];

describe('accepts', () => {
  const body = { ...sampleBody, ...noIdentifiers, metadata: {} };
  const shownBefore = shownItem({ ...body, category_name: 'Furniture' });

  const titled = acceptedMembers.map(([members, shown]) => [shortened(members), members, shown] as const);
  it.each(titled)('%s', async (_, members, shown) => {
    const name = members.startsWith('"name"') ? '' : '"name":"Chair",';
    const created = shownItem(shown);
    const id = expectItem(await api.send(create(`{${name}${members}}`)), created, 1);
    expectItem(await api.send(update(id, { metadata: null })), created, 2);

    const other = expectItem(await api.send(create(body)), shownBefore, 1);
    const updated = { ...shownBefore, ...shown };
    expectItem(await api.send(update(other, `{${members}}`)), updated, 2);
    expectItem(await api.send(update(other, { metadata: null })), updated, 3);
  });
});

/** Metadata with the keys `key<from>` to `key<to>`, all with the same value. */
const keys = (from: number, to: number, value: JsonObject[string] = 1): JsonObject =>
  Object.fromEntries(Array.from({ length: to - from + 1 }, (_, index) => [`key${from + index}`, value]));

async function createWith(metadata: JsonObject): Promise<number> {
  return expectItem(await api.send(create({ name: 'Chair', metadata })), shownItem({ metadata }), 1);
}

/** Creates an item with as many keys as an item may have; it is at revision 2. */
async function createFullItem(): Promise<number> {
  const id = await createWith(keys(1, 50));
  const full = shownItem({ metadata: keys(1, 100) });
  expectItem(await api.send(update(id, { metadata: keys(51, 100) })), full, 2);
  return id;
}

it.each([
  ['one key more', { key101: 1 }],
  ['one key more together with replaced ones', keys(90, 101)],
  ['two keys more and one removed', { key1: null, key101: 1, key102: 1 }],
  ['one key more and the removal of an unknown one', { absent: null, key101: 1 }],
])('an update of an item with 100 keys returns 422 for %s', async (_, metadata) => {
  const id = await createFullItem();
  await expectRefused(
    api,
    [update(id, { value: 1, metadata }), update(id, { metadata }, { 'if-match': '"1"' })],
    invalid('metadata'),
  );
});

it("an update returns 422 if the item would exceed DynamoDB's size limit", async () => {
  const large = (from: number, to: number) => keys(from, to, Array(10).fill('x'.repeat(2_000)));
  const id = await createWith(large(1, 12));
  await expectRefused(api, update(id, { metadata: large(13, 24) }), invalid('metadata'));
});

/** An identifier that no other test uses; its é is one code point. */
const newIdentifier = (): string => `é-${randomUUID()}`;

interface Identifiers {
  readonly sku?: string;
  readonly pn?: string;
}

const createItem = async (identifiers: Identifiers = {}): Promise<number> =>
  expectItem(await api.send(create({ name: 'Chair', ...identifiers })), shownItem(identifiers), 1);

/**
 * Asserts that neither a create nor an update can take these identifiers, and that the attempts write nothing.
 * @param owners the items that have them
 */
async function expectTaken(identifiers: Identifiers, owners: Refusal['owners']): Promise<void> {
  const item = await createItem();
  const requests = [create({ name: 'Chair', ...identifiers }), update(item, { value: 1, ...identifiers })];
  await expectRefused(api, requests, alreadyExists(owners));
}

/** Asserts that a create and an update can take this identifier, and show it in its canonical form. */
async function expectFree(name: keyof Identifiers, identifier: string, canonical = identifier): Promise<void> {
  const item = shownItem({ [name]: canonical });
  const id = expectItem(await api.send(create({ name: 'Chair', [name]: identifier })), item, 1);
  expectItem(await api.send(update(id, { [name]: null })), shownItem(), 2);
  expectItem(await api.send(update(id, { [name]: identifier })), item, 3);
  await expectTaken({ [name]: canonical }, { [name]: id });
}

const spellings: [string, (identifier: string) => string][] = [
  ['unchanged', (identifier) => identifier],
  ['in decomposed form', (identifier) => identifier.normalize('NFD')],
  ['with white space around it', (identifier) => `\t ${identifier}\u00a0\n`],
];

describe.each(['sku', 'pn'] as const)('%s', (name) => {
  const other = name === 'sku' ? 'pn' : 'sku';

  it.each(spellings)('returns 409 for a taken one, sent %s', async (_, spell) => {
    const identifier = newIdentifier();
    const owner = await createItem({ [name]: identifier });
    await expectTaken({ [name]: spell(identifier) }, { [name]: owner });
  });

  it('returns 409 for one that an inactive item has', async () => {
    const identifier = newIdentifier();
    const id = await createItem({ [name]: identifier });
    expectItem(await api.send(update(id, { active: 0 })), shownItem({ [name]: identifier, active: false }), 2);
    await expectTaken({ [name]: identifier }, { [name]: id });
  });

  it.each(spellings)("accepts the item's own one, sent %s", async (_, spell) => {
    const identifier = newIdentifier();
    const id = await createItem({ [name]: identifier });
    const item = shownItem({ [name]: identifier, value: 1 });
    expectItem(await api.send(update(id, { [name]: spell(identifier), value: 1 })), item, 2);
    await expectTaken({ [name]: identifier }, { [name]: id });
  });

  it('accepts a taken one in different case', async () => {
    const identifier = newIdentifier();
    await createItem({ [name]: identifier });
    await expectFree(name, identifier.toUpperCase());
  });

  it('accepts one that an item of another account has', async () => {
    const identifier = newIdentifier();
    const foreign = create({ name: 'Chair', [name]: identifier }, bearer(api.tokens.otherAccount));
    expectItem(await api.send(foreign), shownItem({ [name]: identifier, tax: 2.5 }), 1);
    await expectFree(name, identifier);
  });

  it(`returns 409 when the ${other} is taken, and stays free if it was`, async () => {
    const [free, taken] = [newIdentifier(), newIdentifier()];
    const owner = await createItem({ [other]: taken });
    await expectTaken({ [name]: free, [other]: taken }, { [other]: owner });
    await expectFree(name, free);
  });
});

it('names each taken identifier with its item, whether one item has both or two items have one each', async () => {
  const [sku, pn] = [newIdentifier(), newIdentifier()];
  const [first, second] = [await createItem({ sku }), await createItem({ pn })];
  await expectTaken({ pn, sku }, { sku: first, pn: second });
  const both = await createItem({ sku: pn, pn: sku });
  await expectTaken({ sku: pn, pn: sku }, { sku: both, pn: both });
});
