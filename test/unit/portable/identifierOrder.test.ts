import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { identifierOrder } from '../../../portable/identifierOrder.ts';

const ids = [...Array(8).keys()];
const needs = fc
  .tuple(...ids.map(() => fc.array(fc.constantFrom(...ids), { maxLength: 2 })))
  .map((all) => new Map(all.entries()));

it('each item comes once, after those that it needs, and together with those alone that need it as well', () => {
  fc.assert(
    fc.property(needs, (all) => {
      const neededBy = (id: number) => {
        const needed = new Set(all.get(id));
        for (const one of needed) for (const next of all.get(one) ?? []) needed.add(next);
        return needed;
      };
      const groups = identifierOrder(all);
      expect(groups.flat().sort()).toEqual(ids);
      for (const [index, group] of groups.entries())
        for (const id of group) {
          const together = ids.filter((one) => one === id || (neededBy(id).has(one) && neededBy(one).has(id)));
          expect(group.toSorted()).toEqual(together);
          for (const later of groups.slice(index + 1).flat()) expect(neededBy(id)).not.toContain(later);
        }
    }),
  );
});

it.each([-1, 1])(
  'a column of 50,000 rows that was shifted by %i is ordered in a time that grows with its length',
  (by) => {
    const shifted = new Map(Array.from({ length: 50_000 }, (_, id) => [id, [id + by]]));
    const order = [...shifted.keys()].map((id) => [id]);
    expect(identifierOrder(shifted)).toEqual(by < 0 ? order : order.reverse());
  },
);

it('a ring of 50,000 rows is one group, found in a time that grows with its length', () => {
  const ring = new Map(Array.from({ length: 50_000 }, (_, id) => [id, [(id + 1) % 50_000]]));
  expect(identifierOrder(ring)).toEqual([[...ring.keys()]]);
});
