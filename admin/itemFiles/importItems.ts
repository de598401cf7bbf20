import { CommandError } from '../../cli/commandError.ts';
import type { ItemWriter } from '../../lib/catalog/catalogStore.ts';
import { createItem } from '../../lib/catalog/createItem.ts';
import { PreconditionFailed, updateItem } from '../../lib/catalog/updateItem.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { identifierIn, repeatedIdentifiers } from '../../lib/item/identifierIn.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { metadataProblems } from '../../lib/item/metadata.ts';
import { RepeatedRows } from '../../lib/item/repeatedRows.ts';
import type { Database } from '../../lib/store/database/database.ts';
import type { RowProblem } from '../../portable/sheet/csvLine.ts';
import { noAccount } from '../accounts/accounts.ts';
import { inParallel } from '../table/inParallel.ts';
import { operatorContext, persistently } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import type { ImportProgress } from './importProgress.ts';
import { importStore } from './importStore.ts';
import type { Row } from './readRows.ts';

export interface ImportOptions {
  readonly account: string;
  /** Updates the item that has the row's identifier, if there is one. */
  readonly updateBy: IdentifierName | undefined;
  /** Undefined for a dry run, which writes nothing. */
  readonly progress: ImportProgress | undefined;
  readonly limiter: RateLimiter;
  /** Called for each row, if it was rejected with what is wrong. */
  readonly report: (row: Row, result: RowResult, problems: readonly RowProblem[]) => void;
}

export type RowResult = 'created' | 'updated' | 'doneBefore' | 'rejected';

/** How many rows are written at the same time. */
const workers = 16;

/**
 * Imports rows by the use cases of the API. Can be interrupted at any time, and repeated.
 * @throws CommandError if there is no such account, or the keys that other imports used have expired
 */
export async function importItems(
  database: Database,
  rows: AsyncGenerator<Row>,
  options: ImportOptions,
): Promise<void> {
  const { progress, updateBy, limiter, report } = options;
  const open = importStore(database, progress);
  const checked = identifierNames.filter((name) => progress === undefined || name === updateBy);
  const repeatedRows = new RepeatedRows();
  await inParallel(workers, rows, async (row) => {
    const problems = [...row.invalid, ...repeatedIdentifiers(repeatedRows, row.body, checked, `line ${row.line}`)];
    if (progress?.isDone(row.line)) return report(row, 'doneBefore', []);
    if (problems.length > 0) return report(row, 'rejected', problems);
    if (progress !== undefined && database.clock.now() >= progress.end)
      throw new CommandError(
        'This import was begun more than 24 hours ago, and not with this progress file alone, so items could be created twice. Go on with the progress file that began it. If several have begun it, import the missing rows as a new file.',
      );
    await limiter.run(writeUnits(row.body, progress === undefined), () => importRow(database, open, row, options));
  });
}

/** About what a keyed create costs, or a dry run, which looks for the holder of each identifier. */
const writeUnits = (body: JsonObject, isDryRun: boolean): number => {
  const codes = identifierNames.filter((name) => typeof body[name] === 'string').length;
  return isDryRun ? codes : 5.1 + 2 * codes;
};

async function importRow(
  database: Database,
  open: ReturnType<typeof importStore>,
  row: Row,
  options: ImportOptions,
): Promise<void> {
  const { account, limiter, report } = options;
  const write = async (): Promise<RowResult> => {
    const context = operatorContext(database, account);
    const result = await writeRow(open(row.line, context), row, options);
    if (context.stats.retries.throttled > 0) limiter.slowDown();
    return result;
  };
  try {
    report(row, await persistently(database.clock, limiter, write), []);
  } catch (error) {
    if (!(error instanceof CatalogError) || error.code === 'SERVICE_UNAVAILABLE') throw error;
    const { code, message, fields = [{ field: 'row', reason: reasonOf(error) ?? message }] } = error;
    if (code === 'FORBIDDEN') throw new CommandError(noAccount(account));
    report(row, 'rejected', fields);
  }
}

/** Why a row is left to the operator, who can see which values are the later ones. */
const reasonOf = (error: CatalogError): string | undefined =>
  error instanceof PreconditionFailed
    ? `may have been written before, and item ${error.current.item.id} has changed since: compare it with the row`
    : undefined;

async function writeRow(store: ItemWriter, row: Row, options: ImportOptions): Promise<RowResult> {
  const { progress } = options;
  const [body = {}, ...further] = requestsOf(row.body);
  const key = (part: number) => progress && `import ${progress.hash} ${row.line} ${part}`;
  const found = (await earlierWrite(store, row, options)) ?? (await itemToUpdate(store, row, options));
  const id = found?.id ?? (await createItem(store, body, key(0))).item.id;
  const isUpdate = found !== undefined && !found.isCreated;
  // A dry run has created nothing that could be updated.
  const updates = isUpdate ? [body, ...further] : progress === undefined ? [] : further;
  const first = found === undefined ? 1 : found.revision;
  for (const [part, update] of updates.entries()) {
    const revisions = first === undefined ? undefined : [first + part];
    await updateItem(store, { id, body: update, revisions, key: key(part + 1) });
  }
  progress?.note(row.line, id, 'done');
  return isUpdate ? 'updated' : 'created';
}

/** The item of a row that was not created just now. */
interface FoundItem {
  readonly id: number;
  /** Whether it was created from the row. */
  readonly isCreated: boolean;
  /**
   * The revision from which the row's updates begin. If the item has another one, and no longer remembers their keys, it
   * cannot be told what was done, and a repetition would overwrite what others have written since. Undefined if none of
   * them was sent before.
   */
  readonly revision: number | undefined;
}

/** What an interrupted try, or import, may have done with the row. */
async function earlierWrite(store: ItemWriter, row: Row, { progress }: ImportOptions): Promise<FoundItem | undefined> {
  for (const id of progress?.idsOf(row.line) ?? [])
    if ((await store.findItem(id)) !== undefined) return { id, isCreated: true, revision: 1 };
  const begun = progress?.updateOf(row.line);
  return begun && { ...begun, isCreated: false };
}

/** The item that has the row's identifier, if that is to be updated. It is noted before. */
async function itemToUpdate(store: ItemWriter, row: Row, options: ImportOptions): Promise<FoundItem | undefined> {
  const { progress, updateBy } = options;
  const text = updateBy && identifierIn(row.body, updateBy);
  if (updateBy === undefined || typeof text !== 'string') return undefined;
  const item = await store.findByIdentifier({ name: updateBy, text });
  if (item !== undefined) progress?.note(row.line, item.id, `at ${item.revision}`);
  return item && { id: item.id, isCreated: false, revision: undefined };
}

/** An item can have more metadata than one request may send. Such a row becomes a create and updates that add the rest. */
function requestsOf(body: JsonObject): JsonObject[] {
  const { metadata } = body;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return [body];
  const [first = {}, ...others] = partsOf(metadata as JsonObject);
  return [{ ...body, metadata: first }, ...others.map((part) => ({ metadata: part }))];
}

/** Divides metadata until each part can be sent. If any of it is not valid, it stays together, and is refused as a whole. */
function partsOf(metadata: JsonObject): JsonObject[] {
  const entries = Object.entries(metadata);
  const isAccepted = (part: JsonObject) => metadataProblems(part).length === 0;
  if (isAccepted(metadata) || entries.length < 2 || entries.length > limits.metadata.keysStored) return [metadata];
  const half = Math.ceil(entries.length / 2);
  const halves = [entries.slice(0, half), entries.slice(half)];
  const parts = halves.flatMap((part) => partsOf(Object.fromEntries(part)));
  return parts.every(isAccepted) ? parts : [metadata];
}
