import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { IdSet } from '../../../../admin/verification/idSet.ts';

it('a set of ids contains exactly the ids that were added', () => {
  const id = fc.oneof(fc.nat(3_000), fc.maxSafeNat());
  fc.assert(
    fc.property(fc.array(id), fc.array(id), (added, others) => {
      const [ids, expected] = [new IdSet(), new Set(added)];
      for (const one of added) ids.add(one);
      for (const one of [...added, ...others]) expect(ids.has(one)).toBe(expected.has(one));
    }),
  );
});
