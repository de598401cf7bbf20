import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { CallerStorage } from '../../client/http/catalogClient.ts';
import { type SheetForm, writeRejects } from '../../client/import/1-read.ts';
import type { RejectedRow } from '../../client/import/row.ts';

/**
 * Writes the rejected rows of a file to another one, but never over one that somebody has edited.
 * @param storage has the hash of the last one that was written
 * @returns its name; undefined if there are no such rows
 */
export function keepRejects(
  file: string,
  form: SheetForm,
  rejected: readonly RejectedRow[],
  storage: CallerStorage,
): string | undefined {
  let path = `${file}.rejects`;
  for (let next = 2; existsSync(path) && storage.getItem(path) !== hashOf(path); next += 1)
    path = `${file}.${next}.rejects`;
  rmSync(path, { force: true });
  if (rejected.length === 0) return undefined;
  writeFileSync(path, writeRejects(form, rejected));
  storage.setItem(path, hashOf(path));
  return path;
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
