import { existsSync, readFileSync } from 'node:fs';
import { CommandError } from '../../cli/print.ts';
import { usageError, valueOption, wholeNumber } from '../../cli/program.ts';
import type { Identifier } from '../../lib/catalog/catalogStore.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { listParameters } from '../../lib/http/listParameters.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import type { Item } from '../../lib/item/item.ts';
import { idempotencyLifetime } from '../../lib/item/limits.ts';
import { dynamoCatalogReader } from '../../lib/store/catalog/dynamoCatalog.ts';
import { type Database, getRecord, type Session } from '../../lib/store/database/database.ts';
import { expressions } from '../../lib/store/database/expressions.ts';
import { conditionAs } from '../../lib/store/database/failures.ts';
import type { Key, StoredRecord } from '../../lib/store/database/record.ts';
import { type TransactItem, transact } from '../../lib/store/database/writes.ts';
import { deleteGuard, identifiersNotIn, noIdentifiers, ownerIn } from '../../lib/store/records/guardRecord.ts';
import { isUnchanged, readItem } from '../../lib/store/records/itemRecord.ts';
import { keyIn, keys, parseKey } from '../../lib/store/records/keys.ts';
import { showAccount } from '../accounts/accounts.ts';
import { type AdminProgram, type GivenTable, type OnTable, type Output, recoveryText } from '../adminProgram.ts';
import { columns } from '../columns.ts';
import { addExportCommand } from '../itemFiles/exportCommand.ts';
import { addImportCommand } from '../itemFiles/importCommand.ts';
import { idsOrFile, rateOption, requiredAccount } from '../options.ts';
import { operator, operatorContext, operatorSession } from '../table/operatorSession.ts';
import { type PacedTable, scanTable } from '../table/scanTable.ts';
import { addUndoCommand } from './undoCommand.ts';

/** The options of `item show`, of which one is given. */
type Given = { readonly id?: number } & Partial<Record<IdentifierName, string>>;

export function addItemCommands(admin: AdminProgram, on: OnTable): void {
  const items = admin.command('item').description('Shows, deletes, undoes, imports and exports items.');
  const show = items
    .command('show')
    .description('Shows an item, who wrote it last, and the guards of its identifiers.')
    .addOption(requiredAccount())
    .addOption(valueOption('--id <id>', 'the id of the item', wholeNumber(1, Number.MAX_SAFE_INTEGER)));
  for (const name of identifierNames)
    show.addOption(valueOption(`--${name} <text>`, `the ${name} of the item`, listParameters[name].schema));
  show.action(({ account, ...given }: { account: string } & Given, command) =>
    on(command, async (table) => {
      const seen = await readStoredItem(operatorSession(table.database, account), await idOf(table, account, given));
      return itemOutput(table, account, seen);
    }),
  );
  const which = 'its id, or a file of ids: of these, those that are inactive';
  items
    .command('delete')
    .description('Deletes an item after showing it, and frees its identifiers. To hide it instead, make it inactive.')
    .addOption(requiredAccount())
    .addOption(valueOption('--id <id>', which, idsOrFile).makeOptionMandatory())
    .addOption(rateOption())
    .action(({ account, id: given }, command) =>
      on(command, async (table) => {
        if (typeof given === 'string') return deleteListed(table, account, given);
        const [deleted = 0, ...others] = given;
        if (others.length > 0) throw usageError("Option '--id' must be one id, or a file");
        const seen = await readStoredItem(operatorSession(table.database, account), deleted);
        const shown = await itemOutput(table, account, seen);
        await table.confirm(`${shown.text}\n\nType the id to delete this item: `, String(deleted));
        const created = await findIdempotencyRecords(table, account, [seen.item]);
        await deleteItem(table.database, account, seen, created.get(deleted));
        const text = `Item ${deleted} was deleted. Its changes still show its values until they expire.`;
        return { text: `${text} ${recoveryText(table)}`, data: { deleted: shown.data } };
      }),
    );
  addUndoCommand(items, on);
  addImportCommand(items, on);
  addExportCommand(items, on);
}

/** Deletes the items of a list that are inactive, such as those that an undo has made so. */
async function deleteListed(table: GivenTable, account: string, path: string): Promise<Output> {
  const { database, limiter } = table;
  const found: StoredItem[] = [];
  for (const listed of readIds(path)) {
    const item = await limiter.run(3, () => findStoredItem(operatorSession(database, account), listed));
    if (item !== undefined) found.push(item);
  }
  const due = found.filter(({ item }) => !item.active);
  const left = found.filter(({ item }) => item.active).map(({ item }) => item.id);
  if (due.length > 0)
    await table.confirm(`${due.length} items will be deleted. Type the account's id to continue: `, account);
  const items = due.map(({ item }) => item);
  const created = await findIdempotencyRecords(table, account, items);
  for (const seen of due) {
    await database.clock.sleep(Math.max(0, seen.writtenAt + settling - database.clock.now()));
    await limiter.run(6, () => deleteItem(database, account, seen, created.get(seen.item.id)));
  }
  const others = left.length === 0 ? '' : ` Skipped, because they are active: ${left.join(', ')}.`;
  const text = `${due.length} items were deleted.${others} ${recoveryText(table)}`;
  return { text, data: { deleted: due.length, left } };
}

/** @throws CommandError if it is not a file of ids */
function readIds(path: string): readonly number[] {
  const ids = existsSync(path) ? idsOrFile.safeParse(readFileSync(path, 'utf8').trim()).data : undefined;
  if (typeof ids !== 'object') throw new CommandError(`The file ${path} is not a list of ids, separated by commas.`);
  return ids;
}

/** @throws CommandError if no item has the identifier, or not just one of the options is given */
async function idOf({ database }: GivenTable, account: string, given: Given): Promise<number> {
  const [option, ...others] = Object.entries(given);
  if (option === undefined || others.length > 0)
    throw usageError(`Give one of ${['id', ...identifierNames].map((option) => `'--${option}'`).join(', ')}`);
  if (given.id !== undefined) return given.id;
  const [name, text] = option as [IdentifierName, string];
  const found = await dynamoCatalogReader(database)(operatorContext(database, account)).findByIdentifier({
    name,
    text,
  });
  if (found === undefined) throw new CommandError(`No item of the account ${account} has the ${name} ${text}.`);
  return found.id;
}

async function itemOutput({ database }: GivenTable, account: string, stored: StoredItem): Promise<Output> {
  const { item, writtenAt, guards } = stored;
  const { categories } = await showAccount(operatorSession(database, account), account);
  const categoryName = categories.get(item.category ?? 0)?.name ?? null;
  const fields = {
    ...presentItem(item, categoryName, operator(account)),
    written_by: item.updatedBy,
    written_at: new Date(writtenAt).toISOString(),
  };
  const data = { ...fields, guards: guards.map(({ name, text, owner }) => ({ name, text, item: owner ?? null })) };
  const rows = [
    ...Object.entries(fields),
    ...guards.map(({ name, owner }) => [`guard of the ${name}`, owner === undefined ? 'missing' : `item ${owner}`]),
  ];
  return { text: columns(rows.map(([name, value]) => [name, cellOf(value)])), data };
}

const cellOf = (value: unknown): unknown => (typeof value === 'object' ? JSON.stringify(value) : value);

/** An item as it is stored, with what requests do not see. */
interface StoredItem {
  readonly item: Item;
  readonly writtenAt: EpochMs;
  /** The guard of each of its identifiers, with the item that the guard names; undefined if there is no guard. */
  readonly guards: readonly (Identifier & { readonly owner: number | undefined })[];
  readonly record: StoredRecord;
}

/** Reads an item with the guards of its identifiers. @throws CommandError if the account has no such item */
async function readStoredItem(session: Session, id: number): Promise<StoredItem> {
  const found = await findStoredItem(session, id);
  if (found === undefined) throw new CommandError(`The account ${session.context.account} has no item ${id}.`);
  return found;
}

async function findStoredItem(session: Session, id: number): Promise<StoredItem | undefined> {
  const { account } = session.context;
  const record = await getRecord(session, keys.item(account, id));
  if (record === undefined) return undefined;
  const { item, writtenAt } = readItem(record);
  const guards = await Promise.all(
    identifiersNotIn(item, noIdentifiers).map(async (identifier) => {
      const guard = await getRecord(session, keys.guard(account, identifier.name, identifier.text));
      return { ...identifier, owner: guard && ownerIn(guard) };
    }),
  );
  return { item, writtenAt, guards, record };
}

/** A write that was sent this long ago, in milliseconds, can no longer land, even if its sender's clock was ahead. */
const settling = timeouts.function + timeouts.clockSkew;

/**
 * Deletes an item, and frees its identifiers.
 * @param created the records of its {@link findIdempotencyRecords}
 * @throws CommandError if it was written since it was seen, or a moment before: a write that is sent again could bring it back
 */
async function deleteItem(
  database: Database,
  account: string,
  seen: StoredItem,
  created: readonly Key[] = [],
): Promise<void> {
  const { id } = seen.item;
  if (seen.writtenAt > database.clock.now() - settling)
    throw new CommandError(`Item ${id} was written a moment ago. Try again in ${settling / 1000} s.`);
  const isAsSeen = expressions((use) => ({ ConditionExpression: isUnchanged(use, seen.record) }));
  const parts: Record<string, TransactItem> = { item: { Delete: { Key: keys.item(account, id), ...isAsSeen } } };
  for (const guard of seen.guards) if (guard.owner === id) parts[guard.name] = deleteGuard({ account }, id, guard);
  for (const Key of created) parts[Key.pk] = { Delete: { Key } };
  const changed = `Item ${id} was changed by somebody else meanwhile. Check it again.`;
  await transact(operatorSession(database, account), parts).catch(conditionAs(() => new CommandError(changed)));
}

/**
 * The keys of the records that answer a repeated create with an item, by its id. They expire after a day, and their keys
 * are not known, so if one of the items was created within the last one, this reads the whole table.
 */
async function findIdempotencyRecords(
  table: PacedTable,
  account: string,
  items: readonly Item[],
): Promise<ReadonlyMap<number, Key[]>> {
  const since = table.database.clock.now() - idempotencyLifetime * 1_000 - settling;
  const found = new Map(items.filter(({ createdAt }) => createdAt >= since).map(({ id }): [number, Key[]] => [id, []]));
  if (found.size === 0) return found;
  await scanTable(table, (records) => {
    for (const record of records) {
      const key = parseKey(keyIn(record));
      const copy = record['item'] as StoredRecord | undefined;
      if (key?.kind === 'idempotency' && key.account === account) found.get(Number(copy?.['id']))?.push(keyIn(record));
    }
  });
  return found;
}
