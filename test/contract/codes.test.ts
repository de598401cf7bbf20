import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, create, update } from '../support/apiRequests.ts';
import { expectItem, expectRefusal, shownItem } from '../support/apiResponses.ts';
import { alreadyExists as conflict } from '../support/refusals.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** A code that no other test has; its é is one code point. */
const newCode = (): string => `é-${randomUUID()}`;

interface Codes {
  readonly sku?: string;
  readonly pn?: string;
}

const created = async (codes: Codes = {}): Promise<number> =>
  expectItem(await api.send(create({ name: 'Chair', ...codes })), shownItem(codes), 1);

/** Neither a create nor an update can take the codes, and the attempts leave nothing behind. */
async function expectTaken(codes: Codes): Promise<void> {
  const item = await created();
  const before = await api.records();
  expectRefusal(await api.send(create({ name: 'Chair', ...codes })), conflict);
  expectRefusal(await api.send(update(item, { value: 1, ...codes })), conflict);
  expect(await api.records()).toEqual(before);
}

/** A create and an update take the code, and show it in its canonical form. */
async function expectFree(name: keyof Codes, code: string, canonical = code): Promise<void> {
  const item = shownItem({ [name]: canonical });
  const id = expectItem(await api.send(create({ name: 'Chair', [name]: code })), item, 1);
  expectItem(await api.send(update(id, { [name]: null })), shownItem(), 2);
  expectItem(await api.send(update(id, { [name]: code })), item, 3);
  await expectTaken({ [name]: canonical });
}

describe.each(['sku', 'pn'] as const)('%s', (name) => {
  it.each([
    ['as it is', (code: string) => code],
    ['in decomposed form', (code: string) => code.normalize('NFD')],
    ['with blanks around it', (code: string) => `\t ${code}\u00a0\n`],
  ])('that is taken is refused, sent %s', async (_, sent) => {
    const code = newCode();
    await created({ [name]: code });
    await expectTaken({ [name]: sent(code) });
  });

  it('that an inactive item has is taken', async () => {
    const code = newCode();
    const id = await created({ [name]: code });
    expectItem(await api.send(update(id, { active: 0 })), shownItem({ [name]: code, active: false }), 2);
    await expectTaken({ [name]: code });
  });

  it.each([
    ['as it is', (code: string) => code],
    ['in decomposed form', (code: string) => code.normalize('NFD')],
    ['with blanks around it', (code: string) => ` ${code} `],
  ])("that is the item's own is accepted, sent %s", async (_, sent) => {
    const code = newCode();
    const id = await created({ [name]: code });
    const item = shownItem({ [name]: code, value: 1 });
    expectItem(await api.send(update(id, { [name]: sent(code), value: 1 })), item, 2);
    await expectTaken({ [name]: code });
  });

  it.each([
    ['that has the form of a key', 'X#PN#Y'],
    ['that is a separator of keys', '#'],
    ['of 45 code points', '🪑'.repeat(45)],
    ['of 45 code points once it is composed', 'e\u0301'.repeat(45), 'é'.repeat(45)],
    ['of 45 code points once it is trimmed', ` ${'y'.repeat(45)} `, 'y'.repeat(45)],
  ])('%s is accepted', async (_, code, canonical?: string) => {
    await expectFree(name, code, canonical);
  });

  it('in another case than a taken one is accepted', async () => {
    const code = newCode();
    await created({ [name]: code });
    await expectFree(name, code.toUpperCase());
  });

  it('that another account has is accepted', async () => {
    const code = newCode();
    const foreign = await api.send(create({ name: 'Chair', [name]: code }, bearer(api.tokens.otherAccount)));
    expectItem(foreign, shownItem({ [name]: code, tax: 2.5 }), 1);
    await expectFree(name, code);
  });

  it('that another item has as its other code is accepted', async () => {
    const code = newCode();
    await created(name === 'sku' ? { pn: code } : { sku: code });
    await expectFree(name, code);
  });

  it.each([null, '', ' \t'])('that is given up with %j is free', async (none) => {
    const code = newCode();
    const id = await created({ [name]: code });
    expectItem(await api.send(update(id, { [name]: none })), shownItem(), 2);
    await expectFree(name, code);
  });

  it('that is changed leaves the old one free', async () => {
    const [old, next] = [newCode(), newCode()];
    const id = await created({ [name]: old });
    expectItem(await api.send(update(id, { [name]: next })), shownItem({ [name]: next }), 2);
    await expectTaken({ [name]: next });
    await expectFree(name, old);
  });

  it('that is free stays free when the other one is taken', async () => {
    const [free, taken] = [newCode(), newCode()];
    const other = name === 'sku' ? 'pn' : 'sku';
    await created({ [name]: taken, [other]: taken });
    await expectTaken({ [name]: taken, [other]: taken });
    await expectTaken({ [name]: free, [other]: taken });
    await expectFree(name, free);
  });

  it("is one item's of 100 that are created with it at once", async () => {
    const code = newCode();
    const body = create({ name: 'Chair', [name]: code });
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.send(body)));
    const [winner, ...others] = answers.sort((a, b) => a.status - b.status);
    if (winner === undefined) throw new Error('No answer');
    const id = expectItem(winner, shownItem({ [name]: code }), 1);
    for (const other of others) expectRefusal(other, conflict);
    const owned = Object.entries(await api.records()).filter(
      ([key, record]) => record[name] === code || key.includes(code),
    );
    expect(owned.map(([, record]) => record['id'] ?? record['item_id'])).toEqual([id, id]);
  });
});
