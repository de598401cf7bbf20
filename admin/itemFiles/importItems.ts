import type { Client, Schemas } from '../../client/catalogClient.ts';
import { ImportExpired, type ImportOptions, type ImportProgress, importRows } from '../../client/importRows.ts';
import { type RowResult, sendBatches } from '../../client/sendBatches.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { metadataProblems } from '../../lib/item/metadata.ts';
import type { RowProblem } from '../../portable/sheet/csvLine.ts';
import { type ItemFile, type Row, readRows } from './readRows.ts';

/** How far the import of a file is. */
export interface FileImport extends Pick<ImportProgress, 'created' | 'updated' | 'left'> {
  /** Rows that were found written, by this import before or by another one of the day. */
  readonly doneBefore: number;
  /** What is wrong with the rows that were refused, by their lines. */
  readonly rejects: ReadonlyMap<number, readonly RowProblem[]>;
}

type UnreadableRow = Pick<Row, 'line' | 'body' | 'invalid'>;

/** A row that is written by several requests. */
interface DividedRow {
  readonly line: number;
  readonly requests: readonly JsonObject[];
}

/**
 * Imports a file, and at last its rows that need several requests.
 * @throws what {@link importRows} throws; CommandError if the file cannot be read
 */
export async function* importItems(
  client: Client,
  file: ItemFile,
  options: Omit<ImportOptions, 'nameOf'>,
): AsyncGenerator<FileImport, void> {
  const rejects = new Map<number, readonly RowProblem[]>();
  const lines: number[] = [];
  const divided: DividedRow[] = [];
  const unreadable: UnreadableRow[] = [];
  async function* bodies() {
    for await (const { line, body, invalid } of readRows(file)) {
      const requests = requestsOf(body);
      if (invalid.length > 0) {
        rejects.set(line, invalid);
        unreadable.push({ line, body, invalid });
      } else if (requests.length > 1) divided.push({ line, requests });
      else {
        lines.push(line);
        yield body as Schemas['Row'];
      }
    }
  }
  const lineOf = (row: number): number => lines[row - 1] ?? 0;
  const reject = (line: number, { fields, message }: Schemas['RowError']) =>
    rejects.set(line, fields ?? [{ field: 'row', reason: message }]);
  const counted = { created: 0, updated: 0, doneBefore: 0, left: 0 };
  try {
    const importing = importRows(client, bodies(), { ...options, nameOf: (row) => `line ${lineOf(row)}` });
    for await (const { created, updated, done, left, rejects: refused } of importing) {
      for (const { row, error } of refused) reject(lineOf(row), error);
      Object.assign(counted, { created, updated, doneBefore: done - created - updated, left: left + divided.length });
      yield { ...counted, rejects };
    }
  } catch (error) {
    if (!(error instanceof ImportExpired)) throw error;
    const reason = 'may have been written a day ago, or not: compare it with the items';
    for (const line of [...error.rows.map(lineOf), ...divided.map((row) => row.line)])
      rejects.set(line, [{ field: 'row', reason }]);
    return;
  }
  for await (const [line, problems] of otherProblems(client, unreadable, options)) rejects.set(line, problems);
  for (const row of divided) {
    const [first, last] = await writeDivided(client, row, { ...options, key: file.hash });
    if (last === undefined) return;
    counted.left -= 1;
    if (last.error !== undefined) reject(row.line, last.error);
    else if (last.replayed === true) counted.doneBefore += 1;
    else counted[first?.status === 201 ? 'created' : 'updated'] += 1;
    yield { ...counted, rejects };
  }
}

/** Looks at the rest of rows of which not all can be read, so that all that is wrong is told at once. */
async function* otherProblems(client: Client, unreadable: readonly UnreadableRow[], options: ImportOptions) {
  const rows = unreadable.filter(({ invalid }) => invalid.every(({ field }) => field !== 'row'));
  if (rows.length === 0) return;
  const bodies = rows.map(({ body }) => body as Schemas['Row']);
  for await (const { rejects } of importRows(client, bodies, { ...options, dry_run: true }))
    for (const { row, error } of rejects) {
      const { line = 0, invalid = [] } = rows[row - 1] ?? {};
      const others = (error.fields ?? []).filter(({ field }) => invalid.every((known) => known.field !== field));
      yield [line, [...invalid, ...others]] as const;
    }
}

/** @returns what became of the first request, and of the last that was sent; undefined once the signal is aborted */
async function writeDivided(
  client: Client,
  { line, requests }: DividedRow,
  { key = '', match, dry_run = false, ...options }: ImportOptions,
): Promise<readonly [first: RowResult | undefined, last: RowResult | undefined]> {
  let first: RowResult | undefined;
  let last: RowResult | undefined;
  // A dry run has created nothing that could be updated.
  for (const [part, body] of requests.slice(0, dry_run ? 1 : undefined).entries()) {
    // Others may have changed what it has created.
    const revision = first?.status === 201 ? part : last?.revision;
    const row = (part === 0 ? body : { ...body, id: last?.id, revision }) as Schemas['Row'];
    const batch = { key: `${key}.${line}.${part}`, body: { rows: [row], dry_run, ...(match && { match }) } };
    last = undefined;
    for await (const { results } of sendBatches(client, [batch], { ...options, until: Number.POSITIVE_INFINITY }))
      [last] = results;
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
