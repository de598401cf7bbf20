import { describe, expect, it } from 'vitest';
import { defaultUnit, initialUnits } from '../../../lib/item/account.ts';

describe('a newly opened account', () => {
  it('has the default units, un for products and hour for services (spec 4.1 rule 3)', () => {
    expect(defaultUnit).toEqual({ product: 'un', service: 'hour' });
    expect(Object.values(defaultUnit).filter((unit) => !initialUnits.has(unit))).toEqual([]);
  });
});
