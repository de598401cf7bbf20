import { expect, it } from 'vitest';
import { groupProblems } from '../../../client/sheet/groupProblems.ts';

it('equal problems are told once, with their first lines and how many they are', () => {
  const problem = (field: string, reason: string) => ({ field, reason });
  const onRequest = problem('value', '"on request" must be a number');
  const rows = [5, 6, 7, 8].map((line) => [line, [onRequest]] as const);
  expect(groupProblems([...rows, [9, [problem('name', 'is required'), onRequest]]])).toEqual([
    { problem: onRequest, lines: [5, 6, 7], count: 5 },
    { problem: problem('name', 'is required'), lines: [9], count: 1 },
  ]);
});
