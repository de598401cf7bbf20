import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { bearer, create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import { alreadyExists, type Refusal } from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

const api = await startTestApi();

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
