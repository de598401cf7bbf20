import { expect, it } from 'vitest';
import { configurationFields } from '../../../lib/item/configurationFields.ts';
import { parseFields } from '../../../lib/item/readBody.ts';

it.each([
  [{ name: '𝒙'.repeat(150) }, []],
  [{ name: 'x'.repeat(151) }, [{ rule: 'max_length', limit: 150 }]],
  [{ name: ' x' }, [{ rule: 'pattern' }]],
])('the name of a category breaks the rules that it should: %j', (body, rules) => {
  const field = { field: 'name', reason: expect.stringContaining('1 to 150 characters') };
  expect(parseFields(body, configurationFields.category).invalid).toEqual(rules.map((rule) => ({ ...field, ...rule })));
});
