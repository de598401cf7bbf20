import type { Client } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { loadItems } from '../items/readItems.ts';
import type { RejectProblem } from './row.ts';
import type { ImportRows } from './rows.ts';

/** Marks rejected rows whose identifiers belong to inactive items, because lists do not show these. */
export async function nameInactive(client: Client, rows: ImportRows, options: PollOptions): Promise<void> {
  const taken = rows.rejected.filter(({ problems }) => problems.some(isTaken));
  const ids = taken.flatMap(({ problems }) => problems.flatMap(({ item = [] }) => item));
  const load = () => loadItems(client, [...new Set(ids)], options);
  const items = (await retryUntilDone(load, { ...options, inBackground: true })) ?? [];
  const inactive = new Set(items.flatMap(({ id, active }) => (active ? [] : [id])));
  for (const row of taken) {
    const problems = row.problems.map((problem) => {
      const { item = 0 } = problem;
      if (!isTaken(problem) || !inactive.has(item)) return problem;
      const reason = `is used by item ${item}, which is inactive: update it, with true as "active", or change the ${problem.field}`;
      return { ...problem, rule: 'taken_by_inactive', reason };
    });
    rows.set({ ...row, problems });
  }
}

/** Has rows whose identifiers belong to inactive items update these, and make them active. */
export function reactivateItems(rows: ImportRows): void {
  const updates = rows.rejected.flatMap(({ sheetRow, problems }) => {
    const id = problems.find(({ rule }) => rule === 'taken_by_inactive')?.item;
    if (sheetRow === undefined || id === undefined) return [];
    return [{ ...sheetRow, body: { ...sheetRow.body, id, active: true } }];
  });
  rows.replace(updates);
}

const isTaken = ({ rule }: RejectProblem): boolean => rule === 'taken';
