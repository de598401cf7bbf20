import { CommandError } from '../../cli/commandError.ts';
import { getCatalog } from '../../lib/catalog/getCatalog.ts';
import type { RequestContext } from '../../lib/catalog/requestContext.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import { dynamoChangeReader } from '../../lib/changes/dynamoChangeReader.ts';
import { presentChange } from '../../lib/changes/presentChange.ts';
import { presentCatalog } from '../../lib/http/catalogPresenter.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import type { Item } from '../../lib/item/item.ts';
import { dynamoCatalogReader } from '../../lib/store/catalog/dynamoCatalogReader.ts';
import { dynamoItemWriter } from '../../lib/store/catalog/dynamoItemWriter.ts';
import { parts } from '../../portable/lists.ts';
import { isBack } from '../../portable/undo/planRows.ts';
import type { SentRow, UndoService } from '../../portable/undo/runUndo.ts';
import type { UndoItem, UndoRow } from '../../portable/undo/undo.ts';
import { inParallel } from '../table/inParallel.ts';
import type { OpenTable } from '../table/openTable.ts';
import { operator, operatorContext, persistently } from '../table/operatorSession.ts';
import type { Pace } from '../table/scanTable.ts';
import { deleteItem, findIdempotencyRecords, findStoredItem, type StoredItem, settling } from './items.ts';
import type { UndoFile } from './undoFile.ts';

/** How many rows are written, or pages of items read, at the same time. */
const workers = 16;
const changesAtOnce = 500;
const itemsAtOnce = 100;
/** Between two reports of progress. */
const rowsAtOnce = 160;
/** About what an update or a deletion with an identifier costs. */
const writeUnits = 6;

interface ServiceOptions {
  readonly account: string;
  /** The number of the first change to read. */
  readonly first: number;
  readonly pace: Pace;
  /** Undefined for a dry run, which sends nothing. */
  readonly file: UndoFile | undefined;
}

/**
 * The service as an operator uses it: by the API's use cases, and deletions. A repeated update needs no key: if its
 * answer was lost, it is refused, and the next look finds what it did.
 */
export function operatorService(table: OpenTable, { account, first, pace, file }: ServiceOptions): UndoService {
  const { database } = table;
  const { limiter } = pace;
  const changesOf = dynamoChangeReader(database);
  const itemsOf = dynamoCatalogReader(database);
  const writerOf = dynamoItemWriter(database);
  const caller = operator(account);
  const act = <Done>(units: number, work: (context: RequestContext) => Promise<Done>, used?: (done: Done) => number) =>
    limiter.run(
      units,
      () => persistently(database.clock, limiter, () => work(operatorContext(database, account))),
      used,
    );
  const shown = (item: Item) => presentItem(item, null, caller);
  let next = first;

  async function update(row: UndoRow): Promise<void> {
    const body = { id: row.id, body: row, revisions: [row.revision] };
    await act(writeUnits, (context) => updateItem(writerOf(context), body));
  }

  /** Looks up the keys of all items together, because that can mean to read the whole table. */
  async function deletion(rows: readonly UndoRow[]) {
    const stored = new Map<number, StoredItem>();
    await inParallel(workers, rows.values(), async ({ id }) => {
      const found = await act(3, (context) => findStoredItem(database.for(context), id));
      if (found !== undefined) stored.set(id, found);
    });
    const items = [...stored.values()].map(({ item }) => item);
    const records = await findIdempotencyRecords(table, account, items, pace);
    return async ({ id, revision }: UndoRow): Promise<void> => {
      const seen = stored.get(id);
      if (seen?.item.revision !== revision) throw new CatalogError('PRECONDITION_FAILED');
      const wait = seen.writtenAt + settling - database.clock.now();
      if (wait > 0) await database.clock.sleep(wait);
      await act(writeUnits, () => deleteItem(database, account, seen, records.get(id)));
    };
  }

  return {
    nextChanges: async (pause) => {
      if (pause > 0) await database.clock.sleep(pause);
      const page = await act(
        changesAtOnce / 10,
        (context) => changesOf(context).listChanges(next, changesAtOnce),
        ({ changes }) => 2 + changes.length / 10,
      );
      next = page.next;
      return page.changes.map((change) => presentChange(change, caller));
    },
    findItems: async (ids) => {
      const found: UndoItem[] = [];
      await inParallel(workers, parts(ids, itemsAtOnce), async (page) => {
        const items = await act(page.length, (context) => itemsOf(context).findItems(page));
        found.push(...[...items.values()].map(shown));
      });
      return found;
    },
    findHolders: async (identifiers) => {
      const found: UndoItem[] = [];
      await inParallel(workers, identifiers.values(), async (identifier) => {
        const holder = await act(1, (context) => itemsOf(context).findByIdentifier(identifier));
        if (holder !== undefined) found.push(shown(holder));
      });
      return found;
    },
    loadCatalog: () =>
      act(1, async (context) => presentCatalog(await getCatalog(itemsOf(context), { isCurrent: true }), caller)),
    async *send(rows, report) {
      const fieldsOf = Map.groupBy(report, ({ item }) => item);
      const isDeleted = ({ id }: UndoRow) =>
        file?.selection.isRemoving === true && fieldsOf.get(id)?.some((one) => one.isCreated && isBack(one));
      const remove = await deletion(rows.filter(isDeleted));
      for (const part of parts(rows, rowsAtOnce)) {
        const sent: SentRow[] = [];
        await inParallel(workers, part.values(), async (row) => {
          file?.overwrite(row, fieldsOf.get(row.id) ?? []);
          sent.push(await outcomeOf(row, isDeleted(row) ? remove(row) : update(row)));
        });
        yield sent;
      }
    },
  };
}

/** @throws what says nothing about this row alone */
async function outcomeOf(row: UndoRow, sending: Promise<void>): Promise<SentRow> {
  try {
    await sending;
    return { row };
  } catch (error) {
    // A deletion says so if somebody has written the item since.
    if (error instanceof CommandError) return { row, error: new CatalogError('PRECONDITION_FAILED') };
    if (!(error instanceof CatalogError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    return { row, error };
  }
}

/** @throws CommandError in place of an error that says that changes are no longer kept */
export const ifKept = (error: unknown): never => {
  if (!(error instanceof CatalogError) || error.code !== 'CHANGES_EXPIRED') throw error;
  throw new CommandError('Changes from that time on are no longer kept, or were lost, so they cannot be undone.');
};
