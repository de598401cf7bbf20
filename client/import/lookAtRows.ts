import { type CallerStorage, type Client, loadCatalog } from '../http/catalogClient.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import type { RowResult } from '../http/sendBatches.ts';
import { dryRun } from './dryRun.ts';
import { ImportNote } from './importNote.ts';
import { warnOfCase } from './lookAcrossRows.ts';
import { type PlacedRow, planRows, type RowPlan } from './planRows.ts';
import type { LookWarning, RowLook } from './rowLook.ts';
import { invalidRow, type Row, type RowOptions } from './rows.ts';

export type { LookWarning, RowLook };

export interface Look {
  /** By place, counted from 0. Complete, and final, when nothing is left. */
  readonly rows: readonly RowLook[];
  readonly counts: Readonly<Record<RowLook['verdict'], number>>;
  readonly left: number;
  /** Whether an earlier visit has begun to import these rows: `done` ones are written, and the import goes on. */
  readonly isOpen: boolean;
  /** What `importRows` needs to know of equal rows. */
  readonly plan: RowPlan;
}

export interface LookOptions extends RowOptions {
  /** That of the import. What is known of an import that was begun before is not looked at again. */
  readonly storage?: CallerStorage | undefined;
  /** What is known of rows by an earlier look, by place counted from 0. */
  readonly known?: readonly (RowLook | undefined)[];
}

/**
 * Finds out what `importRows` would do with equal rows and options, and writes nothing.
 * @returns the look at the beginning and after each batch, the last one for `importRows`. An aborted signal ends it early
 * @throws RequestError if the user may not write
 * @example for await (const { counts } of lookAtRows(client, rows, { match: 'sku' })) show(counts);
 */
export async function* lookAtRows(
  client: Client,
  rows: readonly Row[],
  options: LookOptions,
): AsyncGenerator<Look, void> {
  const plan = await planRows(rows, options);
  const caller =
    options.storage && (await retryUntilDone(() => loadCatalog(client, options), { ...options, inBackground: true }));
  const note = caller && new ImportNote(options.storage, caller, plan.hash, 0);
  const looker = new Looker(client, rows, plan, options);
  for (const [place, error] of plan.repeated) looker.settle(place, { verdict: 'refused', error });
  const due = plan.rows.filter((row) => {
    const look = note?.lookOf(row) ?? options.known?.[row.place - 1];
    if (look !== undefined) looker.settle(row.place, look);
    return look === undefined;
  });
  const look = (isEnd = false): Look => ({ ...looker.look(isEnd), isOpen: note?.isOpen === true, plan });
  yield look();
  for await (const _ of looker.ask(due)) yield look();
  const isStopped = () => options.signal?.aborted === true;
  if (isStopped()) return;
  await looker.compare(due);
  if (!isStopped()) yield look(true);
}

type Settle = (row: PlacedRow, result: RowResult) => RowLook | undefined;

class Looker {
  readonly #client: Client;
  readonly #rows: readonly Row[];
  readonly #plan: RowPlan;
  readonly #options: RowOptions;
  readonly #looks: RowLook[] = [];

  constructor(client: Client, rows: readonly Row[], plan: RowPlan, options: RowOptions) {
    this.#client = client;
    this.#rows = rows;
    this.#plan = plan;
    this.#options = options;
  }

  settle(place: number, look: RowLook): void {
    this.#looks[place - 1] = look;
  }

  /** @param isEnd until then, what was settled can still change */
  look(isEnd: boolean): Pick<Look, 'rows' | 'counts' | 'left'> {
    const counts = { new: 0, changed: 0, returning: 0, unchanged: 0, known: 0, refused: 0, done: 0 };
    const settled = Object.values(this.#looks);
    for (const { verdict } of settled) counts[verdict] += 1;
    const left = this.#rows.length - settled.length;
    return { rows: this.#looks, counts, left: isEnd ? left : Math.max(left, 1) };
  }

  /** Asks what would become of rows. @returns after each batch */
  async *ask(due: readonly PlacedRow[]): AsyncGenerator<void, void> {
    /** Rows from which an item was created, as its updates; and those whose code another item has got since. */
    const [created, moved]: [PlacedRow[], PlacedRow[]] = [[], []];
    yield* this.#askBatches(due, this.#options, (row, result) => {
      if (result.replayed !== true || result.id === undefined) return lookOf(row, result);
      created.push({ ...row, row: { ...row.row, id: result.id, active: row.row.active ?? true } });
      return undefined;
    });
    yield* this.#askBatches(created, {}, (row, result) => {
      if (!row.isMatched || result.error?.code !== 'ITEM_ALREADY_EXISTS') return this.#lookAgain(row, result);
      moved.push({ ...row, row: this.#rows[row.place - 1] ?? {}, key: undefined });
      return undefined;
    });
    yield* this.#askBatches(moved, this.#options, lookOf);
  }

  async *#askBatches(rows: readonly PlacedRow[], members: RowOptions, settle: Settle): AsyncGenerator<void, void> {
    for await (const answers of dryRun(this.#client, rows, members, this.#options)) {
      for (const { result, ...row } of answers) {
        const look = settle(row, result);
        if (look !== undefined) this.settle(row.place, look);
      }
      yield;
    }
  }

  /** @param row one whose item an equal row has created, as an update, and the answer to it */
  #lookAgain(row: PlacedRow, result: RowResult): RowLook {
    const { error, status, id, revision = 1, changes = [] } = result;
    const isChanged = (name: string | undefined) => changes.some(({ field }) => field === name);
    // A deleted item is created again.
    if (error?.code === 'ITEM_NOT_FOUND') return { verdict: 'new', key: `${row.key}.${row.row.id}` };
    if (error !== undefined) return { verdict: 'refused', status, error };
    const found = { id, revision: revision - 1 };
    if (isChanged('active'))
      return { verdict: 'returning', ...found, changes, row: { ...row.row, revision: found.revision } };
    if (row.isMatched && !isChanged(this.#options.match)) return lookOf(row, result);
    const text = `has made item ${id}, which was changed since`;
    const warning: LookWarning = { rule: 'made_before', item: id ?? 0, text };
    return { verdict: 'known', id, ...(changes.length > 0 && { warning }) };
  }

  /** Finds what is wrong with rows beside others. */
  async compare(due: readonly PlacedRow[]): Promise<void> {
    for (const [index, { verdict, id }] of this.#looks.entries()) {
      const isOther = id === undefined || verdict === 'known' || verdict === 'done';
      const again = isOther ? [] : this.#plan.taken.take('id', id, index + 1);
      if (again.length > 0) this.settle(index + 1, { verdict: 'refused', error: invalidRow(again) });
    }
    await warnOfCase(this.#client, due, this.#looks, this.#options);
  }
}

function lookOf({ key }: PlacedRow, { error, status, id, revision = 1, changes }: RowResult): RowLook {
  if (error !== undefined) return { verdict: 'refused', status, error };
  if (status === 201) return { verdict: 'new', key };
  return { verdict: changes?.length === 0 ? 'unchanged' : 'changed', id, revision: revision - 1, changes };
}
