import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CommandError } from '../../cli/commandError.ts';
import type { CallerStorage } from '../../client/http/catalogClient.ts';

/**
 * A file for what the client would keep in the storage of a browser. It is replaced as a whole, so a kill loses nothing.
 * @throws CommandError if an earlier version has written it
 */
export function fileStorage(path: string): CallerStorage {
  const all = (): Record<string, string> => {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
    if (!text.startsWith('{'))
      throw new CommandError(
        `The file ${path} is about an import by an earlier version. If that is complete, delete it.`,
      );
    return JSON.parse(text);
  };
  all();
  /** @param value undefined removes it */
  const write = (name: string, value?: string): void => {
    const text = JSON.stringify({ ...all(), [name]: value });
    if (text === '{}') rmSync(path, { force: true });
    else {
      writeFileSync(`${path}.new`, text);
      renameSync(`${path}.new`, path);
    }
  };
  return { getItem: (name) => all()[name] ?? null, setItem: write, removeItem: (name) => write(name) };
}
