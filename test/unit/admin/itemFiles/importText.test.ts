import { expect, it } from 'vitest';
import { problemLines } from '../../../../admin/itemFiles/importText.ts';
import type { RejectedRow } from '../../../../client/import/row.ts';

it('equal problems are told once, with their first lines and how many they are', () => {
  const problem = (field: string, reason: string) => ({ field, reason, rule: 'type' });
  const onRequest = problem('value', '"on request" must be a number');
  const rows = [5, 6, 7, 8].map((line) => ({ line, problems: [onRequest] }));
  const last = { line: 9, problems: [problem('name', 'is required'), onRequest] };
  expect(problemLines([...rows, last] as unknown as RejectedRow[])).toEqual([
    'Line 5, 6, 7 and 2 more: value "on request" must be a number.',
    'Line 9: name is required.',
  ]);
});
