import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The file of a program that the PATH leads to; undefined: it leads to none. */
export const findProgram = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable);

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
