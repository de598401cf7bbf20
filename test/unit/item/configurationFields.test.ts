import { expect, it } from 'vitest';
import { configurationFields } from '../../../lib/item/configurationFields.ts';
import { parseFields } from '../../../lib/item/readBody.ts';

const { category, unit } = configurationFields;

it.each([
  [{ name: '𝒙'.repeat(150) }, []],
  [{ name: 'x'.repeat(151) }, [{ rule: 'max_length', limit: 150 }]],
  [{ name: ' x' }, [{ rule: 'pattern' }]],
  [{ name: '' }, [{ rule: 'required' }]],
  [{ name: null }, [{ rule: 'required' }]],
])('the name of a category breaks the rules that it should: %j', (body, rules) => {
  const field = { field: 'name', reason: expect.stringContaining('1 to 150 characters') };
  expect(parseFields(body, category).invalid).toEqual(rules.map((rule) => ({ ...field, ...rule })));
});

it.each([
  ['name', '\u200b', 'required'],
  ['name', '\u3164', 'required'],
  ['name', 'a\ud800', 'pattern'],
  ['unit', '\u202ekg', 'pattern'],
  ['unit', '\u3164', 'pattern'],
  ['unit', '\u0958'.repeat(8), 'max_length'],
] as const)('a %s of %j breaks the rule %s', (field, name, rule) => {
  expect(parseFields({ [field]: name }, { ...category, ...unit }).invalid).toMatchObject([{ field, rule }]);
});

it('a unit is stored in NFC', () => {
  expect(parseFields({ unit: 'e\u0301' }, unit).sent).toEqual({ unit: '\u00e9' });
});
