import type { CatalogReader } from '../../catalog/catalogReader.ts';
import type { ItemCreator, ItemUpdater } from '../../catalog/catalogStore.ts';
import { createItem } from '../../catalog/createItem.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { updateItem } from '../../catalog/updateItem.ts';
import { accepts } from '../../item/accepts.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { CatalogError } from '../../item/errors.ts';
import type { IdentifierName } from '../../item/fields.ts';
import { identifierNames } from '../../item/fields.ts';
import type { JsonObject } from '../../item/json.ts';
import { limits } from '../../item/limits.ts';
import { metadataProblems } from '../../item/metadata.ts';
import { AccountCache } from '../../store/catalog/accountCache.ts';
import { dynamoCatalogReader } from '../../store/catalog/dynamoCatalogReader.ts';
import { dynamoItemCreator } from '../../store/catalog/dynamoItemCreator.ts';
import { dynamoItemUpdater } from '../../store/catalog/dynamoItemUpdater.ts';
import { IdLease } from '../../store/catalog/idLease.ts';
import { insertItem } from '../../store/catalog/insertItem.ts';
import type { Database } from '../../store/database/database.ts';
import { noAccount, OperatorError } from '../accounts.ts';
import { inParallel } from '../inParallel.ts';
import { operatorContext } from '../operatorSession.ts';
import type { RateLimiter } from '../rateLimiter.ts';
import { dryStore } from './dryStore.ts';
import type { ImportProgress } from './importProgress.ts';
import type { Row, RowProblem } from './readRows.ts';

export interface ImportOptions {
  readonly account: string;
  /** The hash of the file, which is part of the rows' idempotency keys. */
  readonly hash: string;
  /** Updates the item that has the row's identifier, if there is one. */
  readonly updateBy: IdentifierName | undefined;
  /** Undefined for a dry run, which writes nothing. */
  readonly progress: ImportProgress | undefined;
  /** When the idempotency keys no longer protect against what other imports of the file have done. */
  readonly end: EpochMs;
  readonly limiter: RateLimiter;
  readonly workers: number;
  /** Called for each row. */
  readonly report: (row: Row, outcome: RowOutcome) => void;
}

export type RowOutcome =
  | { readonly result: 'created' | 'updated'; readonly id: number }
  | { readonly result: 'done before' }
  | { readonly result: 'rejected'; readonly fields: readonly RowProblem[] };

type Store = ItemCreator & ItemUpdater & CatalogReader;

/** How often a row is tried whose write could not be completed or confirmed, for example because of throttling. */
const maxTries = 8;

/**
 * Imports rows by the use cases of the API. Can be interrupted at any time, and repeated.
 * @throws OperatorError if there is no such account, or the keys that other imports used have expired
 */
export async function importItems(
  database: Database,
  rows: AsyncGenerator<Row>,
  options: ImportOptions,
): Promise<void> {
  const openStore = storeOf(database, options);
  const seen = identifierNames.map((name) => ({ name, lines: new Map<string, number>() }));
  const checked = seen.filter(({ name }) => options.progress === undefined || name === options.updateBy);
  await inParallel(options.workers, rows, async (row) => {
    const { progress, limiter, report } = options;
    const invalid = [...row.invalid, ...checked.flatMap(({ name, lines }) => repeated(row, name, lines))];
    if (progress?.isDone(row.line)) return report(row, { result: 'done before' });
    if (invalid.length > 0) return report(row, { result: 'rejected', fields: invalid });
    if (database.clock.now() >= options.end)
      throw new OperatorError(
        'This import was begun more than 24 hours ago by somebody else, or without this progress file. Go on with the progress file of then, because otherwise items could be created twice.',
      );
    const units = unitsOf(row.body);
    const work = () => importRow(database, openStore, row, options);
    report(row, await limiter.run(units, work, () => units));
  });
}

/** About what a keyed create costs. */
const unitsOf = (body: JsonObject): number =>
  5.1 + 2 * identifierNames.filter((name) => typeof body[name] === 'string').length;

/** Rows of the same identifier could be written in any order. */
function repeated({ line, body }: Row, name: IdentifierName, lines: Map<string, number>): RowProblem[] {
  const text = accepts[name].safeParse(body[name] ?? null).data;
  if (typeof text !== 'string') return [];
  const earlier = lines.get(text);
  if (earlier === undefined) lines.set(text, line);
  return earlier === undefined ? [] : [{ field: name, reason: `is also in line ${earlier}` }];
}

/** Opens the store for a try of a row. */
type OpenStore = (row: Row, context: RequestContext) => Store;

/** A create notes its id before it is sent, and tries the ids of earlier runs first. */
function storeOf(database: Database, { progress }: ImportOptions): OpenStore {
  const accounts = new AccountCache();
  const ids = new IdLease();
  const [reader, creator, updater] = [
    dynamoCatalogReader(database),
    dynamoItemCreator(database, accounts),
    dynamoItemUpdater(database, accounts),
  ];
  return ({ line }, context) => {
    if (progress === undefined) return { ...reader(context), ...dryStore(reader(context)) };
    const noted = [...progress.idsOf(line)];
    const next: IdLease['next'] = async (session) => {
      const id = noted.pop() ?? (await ids.next(session));
      progress.note(line, id, false);
      return id;
    };
    return {
      ...reader(context),
      ...creator(context),
      ...updater(context),
      insertItem: (fields, key) => insertItem(database.for(context), { next }, fields, key),
    };
  };
}

async function importRow(database: Database, open: OpenStore, row: Row, options: ImportOptions): Promise<RowOutcome> {
  for (let tries = 1; ; tries += 1) {
    const context = operatorContext(database, options.account);
    try {
      const outcome = await writeRow(open(row, context), row, options);
      options.progress?.note(row.line, outcome.id, true);
      return outcome;
    } catch (error) {
      if (!(error instanceof CatalogError)) throw error;
      if (error.code === 'FORBIDDEN') throw new OperatorError(noAccount(options.account));
      // With --update-by, somebody else may just have created the item.
      const mayChange =
        error.code === 'SERVICE_UNAVAILABLE' || (options.updateBy !== undefined && isTaken(error, options));
      if (!mayChange) return { result: 'rejected', fields: error.fields ?? [{ field: 'row', reason: error.message }] };
      if (tries === maxTries) throw error;
    } finally {
      if (context.stats.retries.throttled > 0) options.limiter.slowDown();
    }
  }
}

const isTaken = ({ code, fields = [] }: CatalogError, { updateBy }: ImportOptions): boolean =>
  code === 'ITEM_ALREADY_EXISTS' && fields.every(({ field }) => field === updateBy);

async function writeRow(store: Store, row: Row, options: ImportOptions): Promise<RowOutcome & { readonly id: number }> {
  const [body = {}, ...further] = requestsOf(row.body);
  const key = (part: number) => `import ${options.hash} ${row.line} ${part}`;
  const found = await findItem(store, row, options);
  const id = found ?? (await createItem(store, body, key(0))).item.id;
  const isUpdate = found !== undefined && options.updateBy !== undefined;
  const updates = isUpdate ? [body, ...further] : options.progress === undefined ? [] : further;
  for (const [part, update] of updates.entries())
    await updateItem(store, { id, body: update, revisions: undefined, key: key(part + 1) });
  return { result: isUpdate ? 'updated' : 'created', id };
}

/** The item that an interrupted import has created from this row, or the one to update. */
async function findItem(store: Store, { line, body }: Row, { progress, updateBy }: ImportOptions) {
  for (const id of progress?.idsOf(line) ?? []) if ((await store.findItem(id)) !== undefined) return id;
  const text = updateBy && accepts[updateBy].safeParse(body[updateBy]).data;
  if (updateBy === undefined || typeof text !== 'string') return undefined;
  return (await store.findByIdentifier({ name: updateBy, text }))?.id;
}

/**
 * An item can have more metadata than one request may send. Such a row becomes a create and updates that add the rest.
 * If any of the metadata is not valid, all of it is in one request, which is then refused.
 */
function requestsOf(body: JsonObject): JsonObject[] {
  const { metadata } = body;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return [body];
  const parts = partsOf(metadata as JsonObject);
  const isAccepted =
    Object.keys(metadata).length <= limits.metadata.keysStored &&
    parts.every((part) => metadataProblems(part).length === 0);
  const [first = metadata, ...others] = isAccepted ? parts : [metadata];
  return [{ ...body, metadata: first }, ...others.map((part) => ({ metadata: part }))];
}

function partsOf(metadata: JsonObject): JsonObject[] {
  const entries = Object.entries(metadata);
  if (entries.length < 2 || metadataProblems(metadata).length === 0) return [metadata];
  const half = Math.ceil(entries.length / 2);
  return [entries.slice(0, half), entries.slice(half)].flatMap((part) => partsOf(Object.fromEntries(part)));
}
