import { CommandError } from '../../cli/commandError.ts';
import { operatorUser } from '../../lib/access/caller.ts';
import { getCatalog } from '../../lib/catalog/getCatalog.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import { dynamoChangeReader } from '../../lib/changes/dynamoChangeReader.ts';
import { presentChange } from '../../lib/changes/presentChange.ts';
import { isSelected, planUndo } from '../../lib/changes/undo/planUndo.ts';
import type { FieldReport, UndoLook, UndoPlan, UndoRow, UndoSelection } from '../../lib/changes/undo/undo.ts';
import { presentCatalog } from '../../lib/http/catalogPresenter.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import { dynamoCatalogReader } from '../../lib/store/catalog/dynamoCatalogReader.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoItemWriter.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { inParallel } from '../table/inParallel.ts';
import { operator, operatorContext, persistently } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import type { UndoFile } from './undoFile.ts';

export interface UndoOptions {
  readonly account: string;
  readonly selection: UndoSelection;
  readonly limiter: RateLimiter;
  /** Undefined for a dry run, which writes nothing. */
  readonly file: UndoFile | undefined;
  /** Called after each update. */
  readonly written: (row: UndoRow) => void;
}

export interface UndoResult {
  readonly report: readonly FieldReport[];
  /** Why items were left alone that could not be updated. */
  readonly rejected: ReadonlyMap<number, string>;
}

/** How many rows are written, or pages of items read, at the same time. */
const workers = 16;
const changesAtOnce = 500;
const itemsAtOnce = 100;

/**
 * Undoes changes by updates of the API's use case, each under the revision that was looked at, until nothing is left to
 * undo. Can be interrupted at any time, and repeated. A repeated update needs no key: if its answer was lost, it is
 * refused, and the next look finds what it did.
 * @returns what is right now, and what was left. For a dry run, what would be done
 */
export async function undoChanges(database: Database, options: UndoOptions): Promise<UndoResult> {
  const { account, file, limiter, written } = options;
  const look = lookAgain(database, options);
  const open = dynamoItemWriter(database);
  const rejected = new Map<number, string>();
  const refused = new Set<string>();
  /** @returns whether it was done, so that what depends on it can be done */
  const send = async (row: UndoRow): Promise<boolean> => {
    const update = { id: row.id, body: row, revisions: [row.revision] };
    try {
      await persistently(database.clock, limiter, () => updateItem(open(operatorContext(database, account)), update));
      written(row);
      return true;
    } catch (error) {
      if (!(error instanceof CatalogError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
      const attempt = `${row.id} ${row.revision}`;
      // The next look shows what has changed. If that is nothing, it would be refused for ever.
      if (error.code !== 'PRECONDITION_FAILED' && refused.has(attempt)) rejected.set(row.id, reasonOf(error));
      refused.add(attempt);
      return false;
    }
  };
  for (;;) {
    const { report, freed, steps } = await look(rejected);
    if (file === undefined || steps.length === 0) return { report, rejected };
    file.free(freed);
    const fieldsOf = Map.groupBy(report, ({ item }) => item);
    for (const step of steps) {
      const done: boolean[] = [];
      await inParallel(workers, step.values(), async (row) => {
        const isSent = ({ field, result }: FieldReport) => result === 'put back' && field.replace(/\..*/s, '') in row;
        const own = (fieldsOf.get(row.id) ?? []).filter(isSent);
        file.overwrite(row, own);
        done.push(await limiter.run(updateUnits, () => send(row)));
      });
      if (done.includes(false)) break;
    }
  }
}

const reasonOf = ({ message, fields = [] }: CatalogError): string =>
  fields.map(({ field, reason }) => `${field} ${reason}`).join('; ') || message;

/** About what an update with an identifier costs. */
const updateUnits = 6;

/** @returns plans from what is there by then. Changes that were read once are not read again */
function lookAgain(database: Database, { account, selection, limiter, file }: UndoOptions) {
  const changesOf = dynamoChangeReader(database);
  const itemsOf = dynamoCatalogReader(database);
  const caller = operator(account);
  const read = <Done>(units: number, work: (context: ReturnType<typeof operatorContext>) => Promise<Done>) =>
    limiter.run(units, () => persistently(database.clock, limiter, () => work(operatorContext(database, account))));
  const selected = new Set<number>();
  const holders = new Set<number>();
  let changes: UndoLook['changes'][number][] = [];
  let next = selection.first;

  async function readChanges(): Promise<void> {
    for (;;) {
      const page = await read(changesAtOnce / 10, (context) => changesOf(context).listChanges(next, changesAtOnce));
      if (page.changes.length === 0) break;
      const shown = page.changes.map((change) => presentChange(change, caller));
      for (const change of shown) if (isSelected(selection, change)) selected.add(change.item);
      // Until all selected ones are read, any item may be among theirs.
      changes.push(...shown.filter(({ item, number }) => number <= selection.last || selected.has(item)));
      next = page.next;
    }
    changes = changes.filter(({ item }) => selected.has(item));
  }

  async function readItems(): Promise<UndoLook['items']> {
    const ids = [...new Set([...selected, ...holders])];
    const pages = Array.from({ length: Math.ceil(ids.length / itemsAtOnce) }, (_, page) =>
      ids.slice(page * itemsAtOnce, (page + 1) * itemsAtOnce),
    );
    const items = new Map<number, ReturnType<typeof presentItem>>();
    await inParallel(workers, pages.values(), async (page) => {
      const found = await read(page.length, (context) => itemsOf(context).findItems(page));
      for (const [id, item] of found) items.set(id, presentItem(item, null, caller));
    });
    return items;
  }

  /** Finds other items that have identifiers which are to be put back. @returns whether there are any */
  async function findHolders(items: UndoLook['items'], report: readonly FieldReport[]): Promise<boolean> {
    const keyOf = (name: string, text: unknown) => JSON.stringify([name, text]);
    const held = new Set([...items.values()].flatMap((item) => identifierNames.map((name) => keyOf(name, item[name]))));
    const wanted = report.flatMap(({ field, before, result }) => {
      const name = identifierNames.find((one) => one === field);
      const isWanted = result === 'put back' && typeof before === 'string' && !held.has(keyOf(field, before));
      return isWanted && name !== undefined ? [{ name, text: before }] : [];
    });
    const known = holders.size;
    await inParallel(workers, wanted.values(), async (identifier) => {
      const holder = await read(1, (context) => itemsOf(context).findByIdentifier(identifier));
      if (holder !== undefined) holders.add(holder.id);
    });
    return holders.size > known;
  }

  return async (without: ReadonlyMap<number, string>): Promise<UndoPlan> => {
    if (selected.size === 0) await readChanges();
    for (;;) {
      const items = await readItems();
      await readChanges();
      const reference = await read(1, (context) => getCatalog(itemsOf(context), { isCurrent: true }));
      const plan = planUndo({
        selection,
        items,
        changes: changes.filter(({ item }) => !without.has(item)),
        catalog: presentCatalog(reference, caller),
        user: operatorUser,
        freed: file?.freed ?? [],
      });
      if (!(await findHolders(items, plan.report))) return plan;
    }
  };
}

/** @throws CommandError in place of an error that says that changes are no longer kept */
export const ifKept = (error: unknown): never => {
  if (!(error instanceof CatalogError) || error.code !== 'CHANGES_EXPIRED') throw error;
  throw new CommandError('Changes from that time on are no longer kept, or were lost, so they cannot be undone.');
};
