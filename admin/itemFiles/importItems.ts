import { createHash } from 'node:crypto';
import { CommandError } from '../../cli/commandError.ts';
import type { Client, Schemas } from '../../client/catalogClient.ts';
import { ImportExpired, type ImportOptions, type ImportProgress, importRows } from '../../client/importRows.ts';
import { type Look, lookAtRows } from '../../client/lookAtRows.ts';
import { loadItems } from '../../client/readItems.ts';
import { type RowResult, sendBatches } from '../../client/sendBatches.ts';
import type { FieldProblem } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { metadataProblems } from '../../lib/item/metadata.ts';
import { type ItemFile, type Row, readRows } from './readRows.ts';

/** What the rows of a file are for an import. */
export interface FileRows {
  readonly rows: readonly Schemas['Row'][];
  /** Their lines. */
  readonly lines: readonly number[];
  /** Rows that several requests write, after the others. */
  readonly divided: readonly DividedRow[];
  /** What is wrong with the rows that were refused, by their lines. */
  readonly rejects: Map<number, readonly FieldProblem[]>;
  /** Rows of which not all can be read. */
  readonly unreadable: readonly { readonly line: number; readonly row: Schemas['Row'] }[];
  /** When the items of an export were created, by their ids. */
  readonly exported: Map<number, unknown>;
}

/** How far the import of a file is. */
export interface FileImport extends Pick<ImportProgress, 'created' | 'updated' | 'unchanged' | 'left'> {
  /** Rows that were found written, by this import before or by another one of the day. */
  readonly doneBefore: number;
}

/** A row that is written by several requests. */
interface DividedRow {
  readonly line: number;
  readonly requests: readonly JsonObject[];
}

/**
 * @param isById whether each row names its item, and the revision that this must have
 * @throws CommandError if the file cannot be read
 */
export async function readFileRows(file: ItemFile, isById: boolean): Promise<FileRows> {
  const [rows, lines, unreadable]: [Schemas['Row'][], number[], { line: number; row: Schemas['Row'] }[]] = [[], [], []];
  const divided: DividedRow[] = [];
  const [rejects, exported] = [new Map<number, readonly FieldProblem[]>(), new Map<number, unknown>()];
  for await (const read of readRows(file)) {
    const { line } = read;
    const isWhole = read.invalid.every(({ field }) => field !== 'row');
    const members = isWhole ? membersOf(file, read) : {};
    exported.set(Number(members['id']), members['create_date']);
    const { body, invalid } = isById && isWhole ? updateOf(read, members) : read;
    const row = body as Schemas['Row'];
    const requests = requestsOf(body);
    if (invalid.length > 0) rejects.set(line, invalid);
    if (invalid.length > 0 && isWhole) unreadable.push({ line, row });
    else if (invalid.length === 0 && requests.length > 1) divided.push({ line, requests });
    else if (invalid.length === 0) {
      lines.push(line);
      rows.push(row);
    }
  }
  return { rows, lines, divided, rejects, unreadable, exported };
}

/** Also what no import sets, such as the `id`. */
const membersOf = ({ sheet }: ItemFile, { cells }: Row): JsonObject =>
  sheet === undefined ? JSON.parse(cells['text'] ?? '') : cells;

/** The update of a row of an export. */
function updateOf({ body, invalid }: Row, members: JsonObject): Pick<Row, 'body' | 'invalid'> {
  const target = { id: Number(members['id']), revision: Number(members['revision']) };
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

type FileImportOptions = Omit<ImportOptions, 'nameOf' | 'dry_run' | 'look'>;

const problemsOf = ({ fields, message }: Schemas['RowError']): readonly FieldProblem[] =>
  fields ?? [{ field: '', reason: message.replace(/\.$/, '') }];

/** Finds out what an import would do, and notes what it would refuse. @throws what {@link lookAtRows} throws */
export async function* lookAtItems(
  client: Client,
  { rows, lines, divided, rejects, unreadable }: FileRows,
  options: FileImportOptions,
): AsyncGenerator<Look, void> {
  for await (const look of lookAtRows(client, rows, { ...options, nameOf: (row) => `line ${lines[row - 1]}` })) {
    const counts = { ...look.counts };
    for (const row of look.left > 0 ? [] : divided) {
      const [first] = await writeDivided(client, row, { ...options, dry_run: true });
      if (first?.error !== undefined) rejects.set(row.line, problemsOf(first.error));
      else counts[first?.status === 201 ? 'new' : 'changed'] += 1;
    }
    for (const [index, { error }] of look.left > 0 ? [] : look.rows.entries())
      if (error !== undefined) rejects.set(lines[index] ?? 0, problemsOf(error));
    if (look.left === 0) await lookAtRest(client, { unreadable, rejects }, options);
    yield { ...look, counts };
  }
}

/** Notes also what is wrong with the rest of rows of which not all can be read, so that all is told at once. */
async function lookAtRest(
  client: Client,
  { unreadable, rejects }: Pick<FileRows, 'unreadable' | 'rejects'>,
  options: FileImportOptions,
): Promise<void> {
  let seen: Look['rows'] = [];
  for await ({ rows: seen } of lookAtRows(
    client,
    unreadable.map(({ row }) => row),
    options,
  ));
  for (const [index, { line }] of unreadable.entries()) {
    const known = rejects.get(line) ?? [];
    const others = (seen[index]?.error?.fields ?? []).filter(({ field }) => known.every((one) => one.field !== field));
    rejects.set(line, [...known, ...others]);
  }
}

/**
 * Imports a file, and at last its rows that need several requests.
 * @throws what {@link importRows} throws
 */
export async function* importItems(
  client: Client,
  { rows, lines, divided, rejects }: FileRows,
  options: FileImportOptions & Pick<ImportOptions, 'look'>,
): AsyncGenerator<FileImport, void> {
  const last = divided.filter(({ line }) => !rejects.has(line));
  const lineOf = (row: number): number => lines[row - 1] ?? 0;
  const counted = { created: 0, updated: 0, unchanged: 0, doneBefore: 0, left: 0 };
  try {
    for await (const { created, updated, unchanged, done, left, rejects: refused } of importRows(
      client,
      rows,
      options,
    )) {
      for (const { row, error } of refused) rejects.set(lineOf(row), problemsOf(error));
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
    const [first, end] = await writeDivided(client, row, options);
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
  { requests }: DividedRow,
  { key = '', match, create = true, dry_run = false, ...options }: ImportOptions,
): Promise<readonly [first: RowResult | undefined, last: RowResult | undefined]> {
  // Whoever writes equal rows within a day writes them once.
  const name = createHash('sha256')
    .update(JSON.stringify([key, requests]))
    .digest('hex');
  let first: RowResult | undefined;
  let last: RowResult | undefined;
  // A dry run has created nothing that could be updated.
  for (const [part, body] of requests.slice(0, dry_run ? 1 : undefined).entries()) {
    // Others may have changed what it has created.
    const revision = first?.status === 201 ? part : last?.revision;
    const row = (part === 0 ? body : { ...body, id: last?.id, revision }) as Schemas['Row'];
    const members = { create, dry_run, ...(match && { match }) };
    const batch = { key: `${name}.${part}`, body: { rows: [row], ...members } };
    last = undefined;
    for await (const { results } of sendBatches(client, [batch], options)) [last] = results;
    first ??= last;
    if (last === undefined || last.error !== undefined) break;
  }
  return [first, last];
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
