import { describe, expect, it } from 'vitest';
import { defaultUnit, initialUnits } from '../../../lib/item/account.ts';

describe('a newly opened account', () => {
  it('has these units, with these decimals', () => {
    expect(Object.fromEntries(initialUnits)).toEqual({
      un: 0,
      hour: 2,
      day: 2,
      month: 2,
      kg: 3,
      g: 0,
      m: 2,
      m2: 2,
      m3: 3,
      l: 3,
      box: 0,
      set: 0,
    });
  });

  it('has the default units, un for products and hour for services (spec 4.1 rule 3)', () => {
    expect(defaultUnit).toEqual({ product: 'un', service: 'hour' });
    expect(Object.values(defaultUnit).filter((unit) => !initialUnits.has(unit))).toEqual([]);
  });
});
