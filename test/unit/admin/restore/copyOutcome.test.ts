import { expect, it } from 'vitest';
import { type ItemResult, needsDecision } from '../../../../admin/restore/copyOutcome.ts';

/** For each result, whether something is left to a person. */
const results: Record<ItemResult['result'], boolean> = {
  whole: false,
  'put back': false,
  newer: false,
  'identifier taken': true,
  'id taken': true,
  'copy damaged': true,
  rejected: true,
  'no copy': true,
  'not listed': true,
  'written meanwhile': true,
};

it.each(Object.entries(results))('an item with the result "%s" is left to a person: %s', (result, isLeft) => {
  expect(needsDecision({ of: 'item', account: 'acme', id: 1, result } as never)).toBe(isLeft);
});
