import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError } from '../../cli/commandError.ts';
import type { CallerStorage } from '../../client/http/catalogClient.ts';

/**
 * A file in place of a browser's storage. It is replaced as a whole, so a kill loses nothing.
 * @throws CommandError if the file is something else
 */
export function fileStorage(path: string): CallerStorage {
  const all = (): Record<string, string> => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
  /** @param value undefined removes it */
  const write = (name: string, value?: string): void => {
    const text = JSON.stringify({ ...all(), [name]: value });
    if (text === '{}') rmSync(path, { force: true });
    else {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    }
  };
  try {
    all();
  } catch {
    throw new CommandError(
      `The file ${path} is not the progress of an import or an undo. If you do not need it, delete it.`,
    );
  }
  return { getItem: (name) => all()[name] ?? null, setItem: write, removeItem: (name) => write(name) };
}
