import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { RepeatedRows } from '../../lib/item/repeatedRows.ts';
import type { CallerStorage, Client } from '../http/catalogClient.ts';
import type { PollOptions } from '../http/retryUntilDone.ts';
import { divideRows, noResult, type RowResult, sendBatches } from '../http/sendBatches.ts';
import { nextTask } from '../http/wait.ts';
import { openJournal } from './journal.ts';
import type { ImportRow, Outcome, RejectedRow, RejectProblem, Row, RowContent, RowOutcome, RowWarning } from './row.ts';
import { hashOf, identifierIn, rejectedBy, rejectedFor, valuesOf, withOutcome } from './row.ts';
import { ImportRows, type RowFact } from './rows.ts';

export interface RowOptions extends PollOptions {
  /** Updates the item that has this identifier of a row, if there is one. */
  readonly match?: IdentifierName | undefined;
  /** False rejects rows that neither name nor match an item. */
  readonly create?: boolean | undefined;
  /** A text with which equal rows are created once more. */
  readonly key?: string | undefined;
  /** The lines of the rows in their file, by which errors name them. By default, they are named by their places. */
  readonly lines?: readonly number[] | undefined;
}

export interface PreviewOptions extends RowOptions {
  /** That of the import. What is known of an import that was begun before is not asked again. */
  readonly storage?: CallerStorage | undefined;
}

export interface ImportPreview {
  /** In the order of the rows. Complete, and final, when nothing is left. */
  readonly rows: readonly ImportRow[];
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly left: number;
  /** Whether an earlier visit has begun to import these rows: `done` ones are written, and the import is resumed. */
  readonly isOpen: boolean;
  /** Stands for the rows and the options. */
  readonly hash: string;
}

/** After so many rows, the page may draw. */
const rowsAtOnce = 500;

/**
 * Finds out what `importRows` would do with equal rows and options, and writes nothing.
 * @returns the preview at the beginning and after each batch, the last one for `importRows`. An aborted signal ends it early
 * @throws RequestError if the user may not write
 * @example for await (const { counts } of previewRows(client, rows, { match: 'sku' })) show(counts);
 */
export async function* previewRows(
  client: Client,
  rows: readonly Row[],
  options: PreviewOptions = {},
): AsyncGenerator<ImportPreview, void> {
  yield* preview(client, ImportRows.of(rows, options.lines), options);
}

/** Previews the rows of which nothing is known yet. */
export async function* preview(
  client: Client,
  rows: ImportRows,
  options: PreviewOptions,
): AsyncGenerator<ImportPreview, void> {
  const { hash, repeated } = await planRows(rows, options);
  const journal = options.storage === undefined ? undefined : await openJournal(client, hash, options);
  if (journal !== undefined) rows.apply(journal.replay(rows.with('unread')));
  const due = rows.with('unread');
  const seen = (isEnd = false): ImportPreview => {
    const { counts } = rows;
    const left = isEnd ? counts.unread : Math.max(counts.unread, 1);
    return { counts, left, isOpen: journal?.isOpen === true, hash, rows: isEnd ? rows.all : [] };
  };
  const isAborted = () => options.signal?.aborted === true;
  yield seen();
  for await (const facts of askService(client, rows, due, options)) {
    rows.apply(facts);
    yield seen();
  }
  for await (const facts of otherProblems(client, rows, options)) rows.apply(facts);
  if (isAborted()) return;
  rows.apply(sameItems(rows, repeated));
  const created = rows.current(due).filter(({ outcome }) => outcome === 'create');
  for await (const facts of similarIdentifiers(client, rows, created, options)) rows.apply(facts);
  if (!isAborted()) yield seen(true);
}

/** Rejects rows that are there twice, of which the service would see only one batch, and gives the others their keys. */
async function planRows(rows: ImportRows, { match, create, key = '' }: RowOptions) {
  const repeated = new RepeatedRows(rows.nameOf);
  // Also those that are rejected: the places of the others depend on them.
  const planned = rows.sendable.map(({ body }) => body);
  const equal = new Map<string, number>();
  for (const [index, row] of rows.sendable.entries()) {
    if ((index + 1) % rowsAtOnce === 0) await nextTask();
    const problems = repetitions(row, repeated);
    if (problems.length > 0) rows.set(withOutcome(row, rejectedFor(problems)));
    else {
      const values = valuesOf(row.body);
      const before = equal.get(values) ?? 0;
      equal.set(values, before + 1);
      const isCreated = row.body.id === undefined && create !== false;
      rows.set({ ...row, key: isCreated ? await hashOf([key, values, before]) : undefined });
    }
  }
  return { hash: await hashOf([key, match ?? null, planned, create !== false]), repeated };
}

function repetitions({ line, body }: RowContent, repeated: RepeatedRows) {
  const problems = body.id === undefined ? [] : repeated.add('id', body.id, line);
  for (const name of identifierNames) {
    const identifier = identifierIn(body, name);
    if (identifier !== undefined) problems.push(...repeated.add(name, identifier, line));
  }
  return problems;
}

interface Asked {
  readonly row: ImportRow;
  readonly body: Row;
  readonly key: string | undefined;
}

type Answered = Asked & { readonly result: RowResult };

/** Asks the service what would become of rows. @returns what is known after each batch */
async function* askService(
  client: Client,
  rows: ImportRows,
  due: readonly ImportRow[],
  options: RowOptions,
): AsyncGenerator<RowFact[], void> {
  const isMatched = ({ body }: ImportRow) =>
    options.match !== undefined && body.id === undefined && identifierIn(body, options.match) !== undefined;
  /** Rows from which an item was created, as its updates; and those whose identifier another item has got since. */
  const created: Asked[] = [];
  const moved: Asked[] = [];
  const isCreated = ({ result }: Answered) => result.replayed === true && result.id !== undefined;
  const isMoved = ({ row, result }: Answered) => isMatched(row) && result.error?.code === 'ITEM_ALREADY_EXISTS';
  const first = due.map((row) => ({ row, body: row.body, key: row.key }));
  for await (const answers of dryRun(client, rows, first, options)) {
    for (const { row, key, result } of answers.filter(isCreated)) {
      const active = row.body.active ?? true;
      created.push({ row, key, body: { ...row.body, id: result.id, active } });
    }
    yield answers.filter((answer) => !isCreated(answer)).map(({ row, result }) => [row, outcomeOf(result)]);
  }
  const { match, create, ...others } = options;
  for await (const answers of dryRun(client, rows, created, others)) {
    for (const { row } of answers.filter(isMoved)) moved.push({ row, body: row.body, key: undefined });
    yield answers
      .filter((answer) => !isMoved(answer))
      .map((answer) => [answer.row, outcomeOfCreated(answer, isMatched(answer.row) ? match : undefined)]);
  }
  for await (const answers of dryRun(client, rows, moved, options))
    yield answers.map(({ row, result }) => [row, outcomeOf(result)]);
}

function outcomeOf({ error, status, id = 0, revision = 1, changes }: RowResult): RowOutcome {
  if (error !== undefined) return rejectedBy(status, error);
  if (status === 201) return { outcome: 'create' };
  return { outcome: changes?.length === 0 ? 'unchanged' : 'update', id, revision: revision - 1, changes };
}

/**
 * @param answer to a row whose item an equal row has created, as an update
 * @param match the identifier by which the row would find its item
 */
function outcomeOfCreated({ key, body, result }: Answered, match: IdentifierName | undefined): RowOutcome {
  const { error, status, id = 0, revision = 1, changes = [] } = result;
  const isChanged = (name: string) => changes.some(({ field }) => field === name);
  // A deleted item is created again.
  if (error?.code === 'ITEM_NOT_FOUND') return { outcome: 'create', newKey: `${key}.${body.id}` };
  if (error !== undefined) return rejectedBy(status, error);
  if (isChanged('active')) return { outcome: 'reactivate', id, revision: revision - 1, changes };
  if (match !== undefined && !isChanged(match)) return outcomeOf(result);
  const text = `has made item ${id}, which was changed since`;
  const warning: RowWarning = { rule: 'made_before', item: id, text };
  return { outcome: 'duplicate', id, warning: changes.length > 0 ? warning : undefined };
}

/** What else is wrong with rows of which a cell cannot be read. */
async function* otherProblems(client: Client, rows: ImportRows, options: RowOptions): AsyncGenerator<RowFact[], void> {
  const isWhole = ({ problems }: RejectedRow) => problems.every(({ field }) => field !== 'row');
  const unreadable = rows.rejected.filter((row) => row.place === undefined && isWhole(row));
  const problemsOf = new Map(unreadable.map(({ line, problems }) => [line, problems]));
  const asked = unreadable.map((row) => ({ row, body: row.body, key: undefined }));
  for await (const answers of dryRun(client, rows, asked, options))
    yield answers.map(({ row, result }): RowFact => {
      const known = problemsOf.get(row.line) ?? [];
      const isNew = ({ field }: RejectProblem) => known.every((problem) => problem.field !== field);
      return [row, rejectedFor([...known, ...(result.error?.fields ?? []).filter(isNew)])];
    });
}

/** Rejects all but the first row of an item, which another row may name and this one match. */
function* sameItems(rows: ImportRows, repeated: RepeatedRows): Generator<RowFact, void> {
  for (const row of rows.with('update', 'reactivate', 'unchanged', 'sending')) {
    const problems = row.id === undefined ? [] : repeated.add('id', row.id, row.line);
    if (problems.length > 0) yield [row, rejectedFor(problems)];
  }
}

/** Warns of identifiers that differ only in case from those of other items: other systems take them for one. */
async function* similarIdentifiers(
  client: Client,
  rows: ImportRows,
  created: readonly ImportRow[],
  { match, ...options }: RowOptions,
): AsyncGenerator<RowFact[], void> {
  if (match === undefined) return;
  const asked = created.flatMap((row): Asked[] => {
    const own = identifierIn(row.body, match) ?? '';
    const others = new Set([own.toUpperCase(), own.toLowerCase()].filter((other) => other !== own));
    return [...others].map((other) => ({ row, body: { [match]: other }, key: undefined }));
  });
  for await (const answers of dryRun(client, rows, asked, { ...options, match, create: false }))
    yield answers.flatMap(({ row, body: { [match]: code }, result: { id } }): RowFact[] => {
      if (id === undefined || typeof code !== 'string') return [];
      const text = `has a ${match} that differs only in case from ${code}, which item ${id} has`;
      const warning: RowWarning = { rule: 'differs_in_case', field: match, code, item: id, text };
      return [[row, { ...(rows.get(row.line) ?? row), warning }]];
    });
}

/** Asks what the service would answer to rows, a batch at a time. */
async function* dryRun(
  client: Client,
  rows: ImportRows,
  asked: readonly Asked[],
  options: RowOptions,
): AsyncGenerator<Answered[], void> {
  const match = { field: options.match, create: options.create };
  const batches = divideRows(asked, ({ body }) => body).map((some) => ({
    some,
    dry_run: true,
    match,
    rows: some.map(({ body, key }) => ({ row: body, key: body.id === undefined ? key : undefined })),
  }));
  for await (const { batch, results } of sendBatches(client, batches, options)) {
    const lineAt = (row: number) => batch.some[row - 1]?.row.line ?? 0;
    yield batch.some.map((each, index) => ({ ...each, result: withLines(results[index] ?? noResult, lineAt, rows) }));
  }
}

/** Names the other row in the reasons of a result by its line, not by its place in the batch. */
function withLines(result: RowResult, lineAt: (row: number) => number, rows: ImportRows): RowResult {
  const { error } = result;
  if (error?.fields === undefined) return result;
  const fields = error.fields.map((field) => {
    if (!('row' in field) || field.row === undefined) return field;
    const row = lineAt(field.row);
    return { ...field, row, reason: `is also in ${rows.nameOf(row)}` };
  });
  return { ...result, error: { ...error, fields } };
}
