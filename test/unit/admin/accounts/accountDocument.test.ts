import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accountSchema, documentSchema, parseDocument } from '../../../../admin/accounts/accountDocument.ts';
import { anyText, json } from '../../../support/items/arbitraries.ts';

const published = JSON.parse(readFileSync('account.schema.json', 'utf8'));

it('account.schema.json is up to date: npm run generate -- account-schema', () => {
  expect(published).toEqual(JSON.parse(JSON.stringify(accountSchema())));
});

const text = fc.oneof(
  anyText,
  fc.constantFrom('', ' a', 'a ', 'a', '\u{1f600}'.repeat(150), 'x'.repeat(151), '\ud800'),
);
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 4, 5, 1e6),
);
const document = fc.record(
  {
    $schema: fc.oneof(text, json),
    account: fc.oneof(fc.constantFrom('acme', 'a#b', 'Acme', ''), json),
    defaultCategory: fc.oneof(text, number, json),
    defaultTax: fc.oneof(number, json),
    categories: fc.oneof(
      fc.array(fc.record({ id: number, name: text, archived: fc.boolean(), more: json }, { requiredKeys: [] })),
      json,
    ),
    units: fc.oneof(fc.array(fc.record({ unit: text, decimals: number }, { requiredKeys: [] })), json),
    shown: fc.oneof(text, json),
    more: json,
  },
  { requiredKeys: [], noNullPrototype: true },
);

it('the published schema accepts exactly the documents that the program accepts', () => {
  const accepts = new Ajv2020({ strict: false }).compile(published);
  fc.assert(
    fc.property(fc.oneof(document, json), (source) => {
      const sent = JSON.parse(JSON.stringify(source));
      expect(accepts(sent)).toBe(documentSchema.safeParse(sent).success);
    }),
    { numRuns: 2_000 },
  );
});

describe('an account id', () => {
  it.each(['a', '0', 'acme', 'acme-2', 'a--b-', 'x'.repeat(63)])('may be %s', (account) => {
    expect(parseDocument({ account })).toEqual({ account });
  });

  it.each(['', '-a', 'A', 'a#b', 'a#ITEMS', '#', 'a b', 'a_b', 'a.b', 'é', 'a\n', '__proto__', 'x'.repeat(64)])(
    'may not be %j, so that no id can form a key of another account',
    (account) => expect(() => parseDocument({ account })).toThrow('/account must be 1 to 63 lower-case letters'),
  );
});

describe('a malformed document', () => {
  it.each([
    [null, 'The document cannot be applied: document must be a JSON object.'],
    ['acme', 'The document cannot be applied: document must be a JSON object.'],
    [
      { account: 'A', defaultTax: -1, units: [{ unit: 'kg', decimals: 5 }] },
      'The document cannot be applied: /account must be 1 to 63 lower-case letters, digits and hyphens; /defaultTax must be a number from 0 to 999999.999999; /units/0/decimals must be a whole number from 0 to 4.',
    ],
    [{ account: 'a', tax: 1 }, 'The document cannot be applied: /tax is not a member of such a document.'],
    [{}, 'The document cannot be applied: /account must be 1 to 63 lower-case letters, digits and hyphens.'],
    [
      { account: 'a', categories: [{ name: ' ', colour: 1 }], defaultCategory: false },
      'The document cannot be applied: /defaultCategory must be the id or the name of a category, or null; /categories/0/name must be 1 to 150 characters, without control characters and without spaces around them; /categories/0/colour is not a member of such a document.',
    ],
  ])('%j is refused with every reason', (source, message) => {
    expect(() => parseDocument(source)).toThrow(expect.objectContaining({ code: 'INVALID_DOCUMENT', message }));
  });
});
