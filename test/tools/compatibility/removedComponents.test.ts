import { expect, it } from 'vitest';
import { removedComponents } from '../../../tools/compatibility/removedComponents.ts';

it('a component may be added, but not removed or renamed', () => {
  const before = { components: { schemas: { Item: {}, Unit: {} }, headers: { etag: {} } } };
  const renamed = { components: { schemas: { Item: {}, Measure: {}, etag: {} } } };
  const added = { components: { ...before.components, responses: { Gone: {} } } };
  expect(removedComponents(before, renamed)).toEqual(['schemas/Unit', 'headers/etag']);
  expect(removedComponents(before, added)).toEqual([]);
});
