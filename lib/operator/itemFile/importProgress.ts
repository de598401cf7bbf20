import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { EpochMs } from '../../item/epoch.ts';
import { OperatorError } from '../accounts.ts';

/** What an import is about. */
interface ImportSubject {
  readonly table: string;
  readonly account: string;
  /** The hash of the file. */
  readonly file: string;
}

/**
 * What an import has done so far, kept in a file, so that it can go on when it was interrupted. Before a row is created,
 * its line is noted with the id that the item gets: an item with that id can only come from that line, so later it shows
 * whether the create was done, however long ago that was.
 */
export class ImportProgress {
  /** When the first import began that has used this file, with a fraction that no other has. */
  readonly began: EpochMs;
  readonly #descriptor: number;
  readonly #done = new Set<number>();
  readonly #noted = new Map<number, number[]>();

  /** @throws OperatorError if the file is that of another import */
  constructor(path: string, { table, account, file }: ImportSubject) {
    const [head = '', ...lines] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    const subject = [table, account, file].join(' ');
    const isOwn = head.startsWith(`${subject} `);
    // The file of an import that has done nothing is used anew, because its columns may have been corrected.
    if (!isOwn && lines.some((text) => text !== ''))
      throw new OperatorError(`The file ${path} is about another import. Move it away to begin a new one.`);
    this.began = isOwn ? Number(head.split(' ').at(-1)) : Date.now() + Math.random();
    for (const text of lines) {
      // The last line may not be complete.
      const [, line, id, done] = /^(\d+) (\d+)( done)?;$/.exec(text) ?? [];
      if (done !== undefined) this.#done.add(Number(line));
      else if (line !== undefined)
        this.#noted.set(Number(line), [...(this.#noted.get(Number(line)) ?? []), Number(id)]);
    }
    this.#descriptor = openSync(path, isOwn ? 'a' : 'w');
    // An incomplete last line ends here.
    writeSync(this.#descriptor, isOwn ? '\n' : `${subject} ${this.began}\n`);
  }

  isDone(line: number): boolean {
    return this.#done.has(line);
  }

  /** The ids with which a line may have been created. */
  idsOf(line: number): readonly number[] {
    return this.#noted.get(line) ?? [];
  }

  note(line: number, id: number, isDone: boolean): void {
    writeSync(this.#descriptor, `${line} ${id}${isDone ? ' done' : ''};\n`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
