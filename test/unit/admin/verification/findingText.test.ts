import { describe, expect, it } from 'vitest';
import { type Finding, findingText, repairText } from '../../../../admin/verification/verifyTable.ts';

const account = 'acme';
const [sha256, hash] = ['f00', '"f00"'];
const key = { pk: 'ACCOUNT#acme#ITEMS', sk: 'ITEM#1' };
const record = 'The record "ACCOUNT#acme#ITEMS" / "ITEM#1"';

const one = { id: 1, state: 'readable', revision: 1, hasIdentifier: true } as const;
const other = { ...one, id: 9, hasIdentifier: false } as const;
const absent = { ...other, state: 'absent' } as const;
const sku = { account, name: 'sku', text: 'A "1"' } as const;

/** Those that have more than fixed words. */
const texts: [Finding, string][] = [
  [{ kind: 'guard missing', ...sku, owner: null, items: [one] }, 'item 1 has the sku "A \\"1\\"" without a guard'],
  [
    { kind: 'guard orphaned', ...sku, owner: 9, items: [other] },
    'the guard of the sku "A \\"1\\"" names item 9, which does not have it',
  ],
  [
    { kind: 'guard mismatched', ...sku, owner: 9, items: [one, absent] },
    'item 1 has the sku "A \\"1\\"", but its guard names item 9, which does not exist',
  ],
  [
    { kind: 'duplicate identifier', ...sku, owner: null, items: [one, { ...one, id: 2 }] },
    'the items 1 and 2 have the same sku "A \\"1\\"", and no guard names either of them',
  ],
  [{ kind: 'id above counter', account, highest: 7, last: null }, 'item 7 is above the id counter, which is missing'],
  [
    { kind: 'category above last', account, highest: 4, last: 3 },
    'category 4 is above the id of the last category, which is at 3',
  ],
  [
    { kind: 'item not listed', account, id: 7, name: 'A "desk"', revision: 2 },
    'item 7 is not listed under its name "A \\"desk\\""',
  ],
  [
    { kind: 'token exceeds entry', account, sha256, excess: ['permissions', 'expiry', 'user'] },
    `the token with the hash ${hash} has more permissions, a later expiry, a different user than its entry in the account's list`,
  ],
];

const recordTexts: [Finding, string][] = [
  [{ kind: 'unreadable record', key, problem: 'cannot be read' }, 'cannot be read'],
];

describe('the text of a finding', () => {
  it.each(texts.map(([finding, text]) => [finding.kind, finding, text] as const))('%s', (_, finding, text) => {
    expect(findingText(finding)).toBe(`Account "acme": ${text}.`);
  });

  it.each(recordTexts.map(([finding, text]) => [finding.kind, finding, text] as const))('%s', (_, finding, text) => {
    expect(findingText(finding)).toBe(`${record} ${text}.`);
  });
});

describe('the text of a repair', () => {
  const behind: Finding = { kind: 'id above counter', account, highest: 7, last: null };
  const damaged: Finding = { kind: 'unreadable record', key, problem: 'cannot be read' };

  it('says what was done', () => {
    expect(repairText({ repaired: [behind], remaining: undefined })).toBe(
      'Repaired: the counter was raised to that id.',
    );
  });

  it('gives advice on what remains', () => {
    expect(repairText({ repaired: [], remaining: damaged })).toBe('Left to you: correct or delete it manually.');
    expect(repairText({ repaired: [behind], remaining: damaged })).toContain(
      `that id. Now: ${record} cannot be read. Left to you: correct`,
    );
  });

  it('says if nothing is wrong any more', () => {
    expect(repairText({ repaired: [], remaining: undefined })).toBe('Nothing to repair: it has changed meanwhile.');
  });
});
