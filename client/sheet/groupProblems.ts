import type { FieldProblem } from '../../lib/item/fields.ts';

/** Equal problems of several rows. */
export interface ProblemGroup<Problem> {
  readonly problem: Problem;
  /** The first lines that have it, and how many there are. */
  readonly lines: readonly number[];
  readonly count: number;
}

/** The problems of rows by their lines: equal ones once, in the order of their first lines. */
export function groupProblems<Problem extends FieldProblem>(
  rows: Iterable<readonly [line: number, problems: readonly Problem[]]>,
): ProblemGroup<Problem>[] {
  const groups = new Map<string, ProblemGroup<Problem>>();
  for (const [line, problems] of rows)
    for (const problem of problems) {
      const key = JSON.stringify([problem.field, problem.path, problem.reason]);
      const { lines, count } = groups.get(key) ?? { lines: [], count: 0 };
      groups.set(key, { problem, lines: lines.length < 3 ? [...lines, line] : lines, count: count + 1 });
    }
  return [...groups.values()];
}
