import type { SheetRow } from './1-read.ts';
import type { ImportRow, Outcome, RejectedRow, Row, RowContent, RowOutcome } from './row.ts';
import { withOutcome } from './row.ts';

/** A row with its new outcome. */
export type RowFact = readonly [row: RowContent, known: RowOutcome];

const nothingKnown = { place: undefined, key: undefined, sheetRow: undefined, cells: {}, outcome: 'unread' } as const;

/** The rows of an import by their lines, with what is known of each. */
export class ImportRows {
  readonly #rows = new Map<number, ImportRow>();
  readonly #counts: Record<Outcome, number> = {
    unread: 0,
    create: 0,
    update: 0,
    reactivate: 0,
    unchanged: 0,
    duplicate: 0,
    rejected: 0,
    sending: 0,
    done: 0,
  };
  /** The lines of those that are rejected: they are read after each batch, and to search all rows would take the square. */
  readonly #rejected = new Set<number>();
  readonly #isSheet: boolean;

  /** @param isSheet whether they are of a file, of which they have their lines */
  constructor(rows: Iterable<ImportRow>, isSheet: boolean) {
    this.#isSheet = isSheet;
    for (const row of rows) this.set(row);
  }

  /** @param lines of the rows in their file, if there is one */
  static of(rows: readonly Row[], lines?: readonly number[]): ImportRows {
    const unread = rows.map((body, index): ImportRow => {
      const place = index + 1;
      return { ...nothingKnown, line: lines?.[index] ?? place, place, body };
    });
    return new ImportRows(unread, lines !== undefined);
  }

  static ofSheet(rows: readonly SheetRow[]): ImportRows {
    const unread = rows.map((row): ImportRow => {
      const { line, body, cells } = row;
      return { ...nothingKnown, line, body, cells, sheetRow: row };
    });
    return new ImportRows(unread, true);
  }

  /** In the order of the file. */
  get all(): readonly ImportRow[] {
    return [...this.#rows.values()];
  }

  get size(): number {
    return this.#rows.size;
  }

  get counts(): Readonly<Record<Outcome, number>> {
    return { ...this.#counts };
  }

  /** Those that can be sent. */
  get sendable(): readonly ImportRow[] {
    return this.all.filter(({ place }) => place !== undefined);
  }

  /** In the order of the file. */
  get rejected(): readonly RejectedRow[] {
    const lines = [...this.#rejected].sort((a, b) => a - b);
    return lines.map((line) => this.#rows.get(line) as RejectedRow);
  }

  with(...outcomes: readonly Outcome[]): readonly ImportRow[] {
    return this.all.filter(({ outcome }) => outcomes.includes(outcome));
  }

  /** How a reason names a row. */
  nameOf = (line: number): string => `${this.#isSheet ? 'line' : 'row'} ${line}`;

  get(line: number): ImportRow | undefined {
    return this.#rows.get(line);
  }

  /** Rows as they are known by now. */
  current(rows: readonly RowContent[]): readonly ImportRow[] {
    return rows.flatMap(({ line }) => this.#rows.get(line) ?? []);
  }

  set(row: ImportRow): void {
    const before = this.#rows.get(row.line);
    if (before !== undefined) this.#counts[before.outcome] -= 1;
    this.#counts[row.outcome] += 1;
    this.#rows.set(row.line, row);
    if (row.outcome === 'rejected') this.#rejected.add(row.line);
    else this.#rejected.delete(row.line);
  }

  apply(facts: Iterable<RowFact>): void {
    for (const [row, known] of facts) this.set(withOutcome(row, known));
  }

  /** Forgets what is known of rows. They are previewed again. */
  forget(rows: readonly ImportRow[]): void {
    for (const row of rows) this.set(withOutcome(row, { outcome: 'unread' }));
  }
}
