import { expect, it, vi } from 'vitest';
import { ItemWrites } from '../../../client/storage/ranges.ts';
import { forgetUndos, isUndone, undoJournal } from '../../../client/undo/undoJournal.ts';
import { memoryStorage } from '../../support/standIns/memoryStorage.ts';

/** Whom the catalog names. */
const editor = { account: 'demo-1', user: 'editor' };

it('an undo keeps what all its visits have written for a week', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const storage = memoryStorage();
  const days = (count: number) => vi.setSystemTime(Date.now() + count * 24 * 3_600_000);
  const target = { users: ['ann'], from: new Date(1), to: new Date(2) };
  const journalOf = (items: readonly number[], caller = editor, service = 'one') =>
    undoJournal(storage, service, caller, { ...target, items });
  /** To another undo, once what is old has been swept. */
  const known = (caller = editor) => {
    journalOf([3], caller).keep(new ItemWrites({ 1: [[3, 3]] }), false);
    return journalOf([3], caller).undone.kept;
  };
  for (const id of [1, 2]) {
    const visit = journalOf([1, 2]);
    const made = new ItemWrites({ 4: [[id, id]] });
    visit.keep(made, false);
    expect(known()).toEqual({});
    if (id === 2) journalOf([1, 2]).keep(new ItemWrites(), true);
  }
  expect([known(), known({ ...editor, account: 'demo-2' })]).toEqual([{ 4: [[1, 2]] }, {}]);
  expect(journalOf([3], editor, 'another').undone.isEmpty).toBe(true);
  expect([[1, 2], [1]].map((items) => isUndone(storage, editor, { ...target, items }))).toEqual([true, false]);
  days(6);
  expect(known()).toEqual({ 4: [[1, 2]] });
  days(2);
  expect(known()).toEqual({});
  journalOf([1]).keep(new ItemWrites({ 1: [[1, 1]] }), true);
  forgetUndos(storage);
  expect(storage.saved.size).toBe(0);
});

it('an undo that writes much spends little of its time on what it keeps for others, and keeps all of it', () => {
  const storage = memoryStorage();
  const setItem = vi.fn((...args: Parameters<typeof storage.setItem>) => {
    for (const until = performance.now() + 5; performance.now() < until; );
    storage.setItem(...args);
  });
  const target = { users: ['ann'], from: new Date(1), to: new Date(2) };
  const journal = undoJournal({ ...storage, setItem }, 'one', editor, target);
  const made = new ItemWrites();
  for (let id = 1; id <= 100; id += 1) {
    made.add(id, 2);
    journal.keepWhenDue(made);
  }
  expect(setItem.mock.calls.length).toBeLessThan(10);
  journal.keep(made, true);
  journal.keep(new ItemWrites(), false);
  expect(undoJournal(storage, 'one', editor, { ...target, items: [1] }).undone.kept).toEqual({ 2: [[1, 100]] });
});
