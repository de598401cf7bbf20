import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { EpochMs } from '../../item/epoch.ts';
import type { Database } from '../../store/database/database.ts';
import type { Placeholders } from '../../store/database/expressions.ts';
import { exists, expressions } from '../../store/database/expressions.ts';
import { updateRecord } from '../../store/database/writes.ts';
import { importMark } from '../../store/records/accountRecord.ts';
import { idempotencyLifetime } from '../../store/records/idempotencyKey.ts';
import { keys } from '../../store/records/keys.ts';
import { noAccount, OperatorError, toOperatorError } from '../accounts.ts';
import { operatorSession } from '../operatorSession.ts';
import type { ItemFile } from './readRows.ts';

/**
 * What an import has done so far, kept in a file, so that it can go on when it was interrupted. Before a row is created,
 * its line is noted with the id that the item gets: an item with that id can only come from that line, so later it shows
 * whether the create was done, however long ago that was.
 */
export class ImportProgress {
  readonly #path: string;
  /** When the first import began that has used this file, with a fraction that no other has. */
  readonly #began: EpochMs;
  readonly #done = new Set<number>();
  readonly #noted = new Map<number, number[]>();
  /** The hash of the imported file, which is part of the rows' idempotency keys. */
  readonly hash: string;
  /** When the keys no longer protect against what other imports of the file have done. */
  end: EpochMs = Number.POSITIVE_INFINITY;

  private constructor(path: string, subject: string, hash: string) {
    this.#path = path;
    this.hash = hash;
    const [head = '', ...lines] = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    const isOwn = head.startsWith(`${subject} `);
    // The file of an import that has done nothing is used anew, because its columns may have been corrected.
    if (!isOwn && lines.some((text) => text !== ''))
      throw new OperatorError(`The file ${path} is about another import. Move it away to begin a new one.`);
    this.#began = isOwn ? Number(head.split(' ').at(-1)) : Date.now() + Math.random();
    for (const text of lines) {
      // The last line may not be complete.
      const [, line, id, done] = /^(\d+) (\d+)( done)?;$/.exec(text) ?? [];
      if (done !== undefined) this.#done.add(Number(line));
      else if (line !== undefined) this.#noted.set(Number(line), [...this.idsOf(Number(line)), Number(id)]);
    }
    // An incomplete last line ends here.
    if (isOwn) appendFileSync(path, '\n');
    else writeFileSync(path, `${subject} ${this.#began}\n`);
  }

  /** @throws OperatorError if there is the progress of another import, or no such account */
  static async open(database: Database, account: string, { path, hash }: ItemFile): Promise<ImportProgress> {
    const progress = new ImportProgress(`${path}.progress`, [database.table, account, hash].join(' '), hash);
    const first = await markImport(database, account, hash, progress.#began);
    if (first !== progress.#began) progress.end = Math.abs(first) + idempotencyLifetime * 1_000;
    return progress;
  }

  isDone(line: number): boolean {
    return this.#done.has(line);
  }

  /** The ids with which earlier runs may have created a line. */
  idsOf(line: number): readonly number[] {
    return this.#noted.get(line) ?? [];
  }

  note(line: number, id: number, isDone: boolean): void {
    appendFileSync(this.#path, `${line} ${id}${isDone ? ' done' : ''};\n`);
  }
}

/**
 * Marks in the account when the import of a file was begun. Within a day, the rows' idempotency keys keep any number of
 * imports of it from creating a row twice. After that, only the progress of the one that began it knows what was created,
 * unless others have begun it too, for which the mark becomes negative.
 * @returns this import's own beginning if no other has begun it, otherwise that of the first, negative once the mark is
 */
async function markImport(database: Database, account: string, hash: string, began: EpochMs): Promise<EpochMs> {
  const attribute = importMark(hash);
  const set = async (value: (use: Placeholders) => string): Promise<number> => {
    const update = expressions((use) => ({
      UpdateExpression: `SET ${use.name(attribute)} = ${value(use)}`,
      ConditionExpression: exists(use),
    }));
    const input = { Key: keys.account(account), ...update };
    const updated = updateRecord(operatorSession(database, account), input, { idempotent: true });
    return Number((await updated.catch(toOperatorError(() => noAccount(account))))[attribute]);
  };
  const first = await set(({ name, value }) => `if_not_exists(${name(attribute)}, ${value(began)})`);
  if (first !== began) await set(({ value }) => value(-Math.abs(first)));
  return first;
}
