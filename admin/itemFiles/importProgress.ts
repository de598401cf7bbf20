import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CommandError } from '../../cli/commandError.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { idempotencyLifetime } from '../../lib/item/limits.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { exists, expressions } from '../../lib/store/database/expressions.ts';
import { updateRecord } from '../../lib/store/database/writes.ts';
import { importMark } from '../../lib/store/records/accountRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { noAccount } from '../accounts/accounts.ts';
import { explained, operatorSession } from '../table/operatorSession.ts';
import type { ItemFile } from './readRows.ts';

/**
 * What an import has done so far, kept in a file, so that it can go on when it was interrupted. Before a row is created,
 * its line is noted with the id that the item gets: an item with that id can only come from that line, so later it shows
 * whether the create was done, however long ago that was. Before an item is updated, it is noted with its revision.
 */
export class ImportProgress {
  readonly #path: string;
  /** When the first import began that has used this file, with a fraction that no other has. */
  readonly #began: EpochMs;
  readonly #done = new Set<number>();
  readonly #noted = new Map<number, number[]>();
  readonly #updates = new Map<number, { readonly id: number; readonly revision: number }>();
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
      throw new CommandError(`The file ${path} is about another import. Move it away to begin a new one.`);
    this.#began = isOwn ? Number(head.split(' ').at(-1)) : Date.now() + Math.random();
    for (const text of lines) {
      // The last line may not be complete.
      const [, line, id, state] = /^(\d+) (\d+)( done| at \d+)?;$/.exec(text) ?? [];
      if (line !== undefined) this.#read(Number(line), Number(id), state?.trim());
    }
    // An incomplete last line ends here.
    if (isOwn) appendFileSync(path, '\n');
    else writeFileSync(path, `${subject} ${this.#began}\n`);
  }

  /** @throws CommandError if there is the progress of another import, or no such account */
  static async open(database: Database, account: string, { path, hash }: ItemFile): Promise<ImportProgress> {
    const progress = new ImportProgress(`${path}.progress`, [database.table, account, hash].join(' '), hash);
    const attribute = importMark(hash);
    const first = await setMark(database, account, attribute, progress.#began, true);
    if (first === progress.#began) return progress;
    progress.end = Math.abs(first) + idempotencyLifetime * 1_000;
    // One that is too late does nothing, so the one that began the import can still go on.
    if (database.clock.now() < progress.end) await setMark(database, account, attribute, -Math.abs(first));
    return progress;
  }

  isDone(line: number): boolean {
    return this.#done.has(line);
  }

  /** The ids with which earlier runs may have created a line. */
  idsOf(line: number): readonly number[] {
    return this.#noted.get(line) ?? [];
  }

  /** The item that earlier tries may have updated from a line, and the revision that it had before. */
  updateOf(line: number): { readonly id: number; readonly revision: number } | undefined {
    return this.#updates.get(line);
  }

  /** @param state `done`; `at` and the revision of an item that is to be updated; undefined before an item is created */
  note(line: number, id: number, state?: 'done' | `at ${number}`): void {
    appendFileSync(this.#path, `${line} ${id}${state === undefined ? '' : ` ${state}`};\n`);
    this.#read(line, id, state);
  }

  #read(line: number, id: number, state: string | undefined): void {
    if (state === 'done') this.#done.add(line);
    else if (state === undefined) this.#noted.set(line, [...this.idsOf(line), id]);
    else this.#updates.set(line, { id, revision: Number(state.split(' ')[1]) });
  }
}

/**
 * Marks in the account when the import of a file was begun. Within a day, the rows' idempotency keys keep any number of
 * imports of it from creating a row twice. After that, only the progress of the one that began it knows what was created,
 * unless others have begun it too, for which the mark becomes negative.
 * @param isFirst whether an existing mark stays
 * @returns the mark: the time at which the first import began, negative once others have begun it
 */
async function setMark(
  database: Database,
  account: string,
  attribute: string,
  mark: number,
  isFirst = false,
): Promise<EpochMs> {
  const update = expressions((use) => {
    const [name, value] = [use.name(attribute), use.value(mark)];
    return {
      UpdateExpression: `SET ${name} = ${isFirst ? `if_not_exists(${name}, ${value})` : value}`,
      ConditionExpression: exists(use),
    };
  });
  const input = { Key: keys.account(account), ...update };
  const updated = updateRecord(operatorSession(database, account), input, { idempotent: true });
  return Number((await updated.catch(explained(() => noAccount(account))))[attribute]);
}
