import { createHash } from 'node:crypto';
import { CommandError } from '../../cli/commandError.ts';
import type { Client, Schemas } from '../../client/http/catalogClient.ts';
import { type RowResult, sendBatches } from '../../client/http/sendBatches.ts';
import { ImportExpired, type ImportOptions, importRows } from '../../client/import/importRows.ts';
import { type Look, lookAtRows } from '../../client/import/lookAtRows.ts';
import { loadItems } from '../../client/items/readItems.ts';
import type { FieldProblem } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { metadataProblems } from '../../lib/item/metadata.ts';
import type { InspectedRow } from '../../portable/sheet/rowReader.ts';
import { type ItemFile, readRows } from './readRows.ts';

interface FileRow {
  readonly line: number;
  readonly row: Schemas['Row'];
}

/** What the rows of a file are for an import. */
export interface FileRows {
  readonly whole: FileRow[];
  /** Rows that several requests write, after the others. */
  readonly divided: FileRow[];
  /** Rows of which not all can be read. */
  readonly unreadable: FileRow[];
  /** What is wrong with the rows that were refused, by their lines. */
  readonly rejects: Map<number, readonly FieldProblem[]>;
  /** When the items of an export were created, by their ids. */
  readonly exported: Map<number, string | undefined>;
}

/**
 * @param isById whether each row names its item, and the revision that this must have
 * @throws CommandError if the file cannot be read
 */
export async function readFileRows(file: ItemFile, isById: boolean): Promise<FileRows> {
  const rows: FileRows = { whole: [], divided: [], unreadable: [], rejects: new Map(), exported: new Map() };
  for await (const read of readRows(file)) {
    const { line, cells } = read;
    rows.exported.set(Number(cells['id']), cells['create_date']);
    const isRow = read.invalid.every(({ field }) => field !== 'row');
    const { body, invalid } = isById && isRow ? updateOf(read) : read;
    const one = { line, row: body as Schemas['Row'] };
    if (invalid.length === 0) (requestsOf(body).length > 1 ? rows.divided : rows.whole).push(one);
    else rows.rejects.set(line, invalid);
    if (invalid.length > 0 && isRow) rows.unreadable.push(one);
  }
  return rows;
}

/** The update of a row of an export. */
function updateOf({ body, invalid, id = 0, revision = 0 }: InspectedRow): Pick<InspectedRow, 'body'> & {
  invalid: readonly FieldProblem[];
} {
  const target = { id, revision };
  const wrong = Object.entries(target).filter(([, number]) => !Number.isSafeInteger(number) || number < 1);
  const problems = wrong.map(([field]) => ({ field, reason: 'must be that of an export' }));
  return { body: { ...body, ...target }, invalid: [...invalid, ...problems] };
}

/** @throws CommandError if rows are items of the account, of which an import without their ids would make others */
export async function refuseOwnExport(client: Client, { exported }: FileRows): Promise<void> {
  const ids = [...exported.keys()].filter((id) => Number.isSafeInteger(id) && id > 0).slice(0, 100);
  const own = (await loadItems(client, ids)).find(({ id, create_date }) => exported.get(id) === create_date);
  if (own === undefined) return;
  throw new CommandError(
    `The file is an export of this account, in which item ${own.id} is. Say --update-by id to change these items, or remove the column id to create others.`,
  );
}

/** How far an import is. Rows are done before that this import, or another one of the day, had written. */
export type FileImport = Record<'created' | 'updated' | 'unchanged' | 'doneBefore' | 'left', number>;

type FileImportOptions = Omit<ImportOptions, 'nameOf' | 'dry_run'>;

const rowsOf = (all: readonly FileRow[]) => all.map(({ row }) => row);

const problemsOf = ({ fields, message }: Schemas['RowError']): readonly FieldProblem[] =>
  fields ?? [{ field: '', reason: message.replace(/\.$/, '') }];

/** Finds out what an import would do, and notes what it would refuse. @throws what {@link lookAtRows} throws */
export async function* lookAtItems(
  client: Client,
  { whole, divided, unreadable, rejects }: FileRows,
  options: FileImportOptions,
): AsyncGenerator<Look, void> {
  const nameOf = (row: number) => `line ${whole[row - 1]?.line}`;
  for await (const look of lookAtRows(client, rowsOf(whole), { ...options, nameOf })) {
    if (look.left > 0) {
      yield look;
      continue;
    }
    const counts = { ...look.counts };
    for (const one of divided) {
      const { first } = await writeDivided(client, one, { ...options, dry_run: true });
      if (first?.error !== undefined) rejects.set(one.line, problemsOf(first.error));
      else counts[first?.status === 201 ? 'new' : 'changed'] += 1;
    }
    for (const [index, { line }] of whole.entries()) {
      const { error } = look.rows[index] ?? {};
      if (error !== undefined) rejects.set(line, problemsOf(error));
    }
    // What is wrong with the rest of these rows is told at once.
    let rest: Look['rows'] = [];
    for await ({ rows: rest } of lookAtRows(client, rowsOf(unreadable), options));
    for (const [index, { line }] of unreadable.entries()) {
      const known = rejects.get(line) ?? [];
      const isNew = ({ field }: FieldProblem) => known.every((one) => one.field !== field);
      rejects.set(line, [...known, ...(rest[index]?.error?.fields ?? []).filter(isNew)]);
    }
    yield { ...look, counts };
  }
}

/**
 * Imports a file, and at last its rows that need several requests.
 * @throws what {@link importRows} throws
 */
export async function* importItems(
  client: Client,
  { whole, divided, rejects }: FileRows,
  options: FileImportOptions,
): AsyncGenerator<FileImport, void> {
  const last = divided.filter(({ line }) => !rejects.has(line));
  const lineOf = (row: number): number => whole[row - 1]?.line ?? 0;
  const counted: FileImport = { created: 0, updated: 0, unchanged: 0, doneBefore: 0, left: 0 };
  try {
    for await (const progress of importRows(client, rowsOf(whole), options)) {
      const { created, updated, unchanged, done, left } = progress;
      for (const { row, error } of progress.rejects) rejects.set(lineOf(row), problemsOf(error));
      const doneBefore = done - created - updated - unchanged;
      Object.assign(counted, { created, updated, unchanged, doneBefore, left: left + last.length });
      yield counted;
    }
  } catch (error) {
    if (!(error instanceof ImportExpired)) throw error;
    const reason = 'may have been written a day ago, or not: compare it with the items';
    for (const line of [...error.rows.map(lineOf), ...last.map((row) => row.line)])
      rejects.set(line, [{ field: 'row', reason }]);
    return;
  }
  for (const row of last) {
    const { first, end } = await writeDivided(client, row, options);
    if (end === undefined) return;
    counted.left -= 1;
    if (end.error !== undefined) rejects.set(row.line, problemsOf(end.error));
    else if (end.replayed === true) counted.doneBefore += 1;
    else counted[first?.status === 201 ? 'created' : 'updated'] += 1;
    yield counted;
  }
}

/** @returns what became of the first request, and of the last that was sent; undefined once the signal is aborted */
async function writeDivided(
  client: Client,
  { row }: FileRow,
  { key = '', match, create = true, dry_run = false, ...options }: ImportOptions,
): Promise<{ first?: RowResult | undefined; end?: RowResult | undefined }> {
  const requests = requestsOf(row as JsonObject);
  // Whoever writes equal rows within a day writes them once.
  const name = createHash('sha256')
    .update(JSON.stringify([key, requests]))
    .digest('hex');
  let first: RowResult | undefined;
  let end: RowResult | undefined;
  // A dry run has created nothing that could be updated.
  for (const [part, body] of requests.slice(0, dry_run ? 1 : undefined).entries()) {
    // Others may have changed what it has created.
    const revision = first?.status === 201 ? part : end?.revision;
    const sent = (part === 0 ? body : { ...body, id: end?.id, revision }) as Schemas['Row'];
    const batch = {
      key: `${name}.${part}`,
      body: { rows: [sent], dry_run, match: { create, ...(match && { field: match }) } },
    };
    end = undefined;
    for await (const { results } of sendBatches(client, [batch], options)) [end] = results;
    first ??= end;
    if (end === undefined || end.error !== undefined) break;
  }
  return { first, end };
}

/** An item can have more values than a request. Such a row becomes a create, and updates that add the rest. */
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
