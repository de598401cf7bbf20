import { expect, it, vi } from 'vitest';
import type { CallerStorage } from '../../../client/public/index.ts';
import { storedEntries } from '../../../client/storage/storedEntries.ts';
import { memoryStorage } from '../../support/standIns/memoryStorage.ts';

const refuse = () => {
  throw new DOMException('No', 'QuotaExceededError');
};
const blocked = { getItem: refuse, setItem: refuse, removeItem: refuse };

/** A storage that has something else in place of the entries. */
function storageWith(text: string): CallerStorage {
  const storage = memoryStorage();
  storage.setItem('slot', text);
  return storage;
}

it.each<[string, CallerStorage | undefined, isStored: boolean]>([
  ['there is none', undefined, false],
  ['there is none, as in some web views', null as unknown as undefined, false],
  ['it is full', { ...memoryStorage(), setItem: refuse }, false],
  ['it is blocked', blocked, false],
  ['it takes everything and keeps nothing', { ...memoryStorage(), getItem: () => null }, false],
  ['what it has was cut', storageWith('{"a'), true],
  ['it has something else', storageWith('[null, 1]'), true],
  ['it has nothing', storageWith('null'), true],
])('an entry is kept while the page is open, whatever becomes of the storage: %s', (_, storage, isStored) => {
  const written = storedEntries<string>(storage, 'slot').write('name', 'value');
  const entries = storedEntries<string>(storage, 'slot');
  expect([written, entries.read('name')]).toEqual([isStored, 'value']);
  entries.write('name', undefined);
  expect(entries.read('name')).toBeUndefined();
});

it('keeps what a full storage has refused, and gives back nothing over what other tabs have stored since', () => {
  const storage = memoryStorage();
  const setItem = vi.fn(storage.setItem);
  const entries = storedEntries<string>({ ...storage, setItem }, 'slot');
  const other = storedEntries<string>({ ...storage }, 'slot');
  entries.write('a', 'first');
  setItem.mockImplementation(refuse);
  expect([entries.write('a', 'longer'), other.write('b', 'of another tab')]).toEqual([false, true]);
  expect(entries.all()).toEqual({ a: 'longer', b: 'of another tab' });
  setItem.mockImplementation(storage.setItem);
  expect([entries.write('c', 'later'), other.all()]).toEqual([true, { a: 'longer', b: 'of another tab', c: 'later' }]);
});

it('remembers nothing of entries that were removed, without a storage and with one that is blocked', () => {
  for (const storage of [undefined, blocked]) {
    const entries = storedEntries<number>(storage, 'many');
    const startedAt = performance.now();
    for (let count = 0; count < 1_500; count += 1) {
      entries.write(`entry ${count}`, count);
      entries.write(`entry ${count}`, undefined);
    }
    expect(entries.all()).toEqual({});
    // Each would cost what all before it have cost.
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  }
});

it('stores nothing until it is written, also by a name that every object has', () => {
  const entries = storedEntries<string>(memoryStorage(), 'slot');
  for (const name of ['constructor', 'toString', '__proto__']) {
    expect(entries.read(name)).toBeUndefined();
    entries.write(name, name);
    expect(entries.read(name)).toBe(name);
  }
});
