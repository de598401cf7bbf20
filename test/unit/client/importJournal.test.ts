import { expect, it, onTestFinished, vi } from 'vitest';
import { ImportJournal } from '../../../client/import/journal.ts';
import { ImportRows } from '../../../client/import/rows.ts';
import { memoryStorage } from '../../support/standIns/memoryStorage.ts';

/** A tab that has previewed two updates, and begun to write them. */
function openTab(storage: ReturnType<typeof memoryStorage>, from = Date.now()) {
  const rows = ImportRows.of([
    { id: 7, name: 'Desk' },
    { id: 8, name: 'Chair' },
  ]);
  rows.apply(rows.all.map((row) => [row, { outcome: 'update', id: row.line + 6, revision: 3 }]));
  const journal = new ImportJournal(storage, 'acme ann hash', { service: 'catalog', file: undefined, from });
  journal.begin(rows);
  return { rows, journal };
}

it('a row that one tab is sending stays so for the next visit, although another tab saves its own rows', () => {
  const storage = memoryStorage();
  const [first, second] = [openTab(storage), openTab(storage)];
  const [desk, chair] = first.rows.all;
  if (desk === undefined || chair === undefined) throw new Error('There are no rows.');
  first.rows.apply([[desk, { outcome: 'sending', id: 7, revision: 3, isReactivated: false }]]);
  first.journal.save([desk]);
  second.journal.save([chair]);
  const next = openTab(memoryStorage()).rows.all;
  const visit = new ImportJournal(storage, 'acme ann hash', { service: 'catalog', file: undefined, from: Date.now() });
  expect(visit.replay(next).map(([{ line }, known]) => [line, known])).toEqual([
    [1, { outcome: 'sending', id: 7, revision: 3, isReactivated: false }],
  ]);
});

it.each([0, 2])('an import expires a day after it began, also by a clock that was ahead then by days: %i', (days) => {
  const [storage, day, now] = [memoryStorage(), 24 * 3_600_000, Date.now()];
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: now + days * day });
  openTab(storage, now);
  vi.setSystemTime(now + day);
  expect(openTab(storage, now + day).journal.until).toBeLessThanOrEqual(now + day);
});
