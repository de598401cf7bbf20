import { listed } from '../../lib/item/violation.ts';
import { Occurrences } from './columnProfile.ts';
import { quotedCell, type SheetWarning, UnreadableCell } from './notices.ts';

export interface SheetCategory {
  readonly id: number;
  readonly name: string;
  readonly archived: boolean;
}

/** A category of the file that the account does not have, or has only among its archived ones. */
export interface UnknownCategory {
  readonly name: string;
  readonly rows: number;
  readonly isArchived: boolean;
}

/** Case and blanks do not matter. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().trim().replaceAll(/\s+/g, ' ');

/** What a row says of its category, by id or name, or both. Not both are blank. */
type Pair = readonly [category: string, name: string];
const keyOf = ([category, name]: Pair): string => `${folded(category)}\n${folded(name)}`;

export class Categories {
  readonly #known: readonly SheetCategory[] | undefined;
  /** By id, and by name those that can be chosen. */
  readonly #ids = new Map<string, Set<number>>();
  /** What the rows of the file say. */
  readonly #rows = new Occurrences<string>();
  /** Where both are there, which must agree. */
  readonly #pairs = new Map<string, { line: number; here: SheetCategory; name: string; agrees: boolean }>();

  /** @param known undefined if nobody has loaded them: then only ids are read */
  constructor(known: readonly SheetCategory[] | undefined) {
    this.#known = known;
    for (const { id, name, archived } of known ?? [])
      for (const text of archived ? [String(id)] : [String(id), folded(name)])
        this.#ids.set(text, (this.#ids.get(text) ?? new Set()).add(id));
  }

  note(line: number, [category, name]: Pair): void {
    const key = keyOf([category, name]);
    if (key === '\n' || folded(category) === 'null') return;
    this.#rows.add(key, line, (name || category).trim());
    const here = this.#known?.find(({ id }) => String(id) === category.trim());
    if (here === undefined || folded(name) === '' || this.#pairs.has(key)) return;
    this.#pairs.set(key, { line, here, name: name.trim(), agrees: folded(here.name) === folded(name) });
  }

  /** Whether names count, because most ids that have one have another name here: the file is of another account. */
  get #byName(): boolean {
    const pairs = [...this.#pairs.values()];
    const ids = (some: typeof pairs) => new Set(some.map(({ here }) => here.id)).size;
    return ids(pairs.filter(({ agrees }) => agrees)) * 2 <= ids(pairs);
  }

  /** The categories that are missing, by the names under which they can be added. */
  get unknown(): UnknownCategory[] {
    const missing = new Map<string, UnknownCategory>();
    for (const [key, { cell, count }] of this.#known === undefined ? [] : this.#rows) {
      const [category = '', name = ''] = key.split('\n');
      if (this.#idsOf([category, name]).length > 0) continue;
      const text = folded(cell);
      const isArchived = this.#known?.some((known) => folded(known.name) === text) === true;
      missing.set(text, { name: cell, rows: count + (missing.get(text)?.rows ?? 0), isArchived });
    }
    return [...missing.values()];
  }

  get warnings(): SheetWarning[] {
    const counts = this.#byName ? 'name' : 'id';
    const mismatches = [...this.#pairs.values()].filter(({ agrees }) => !agrees);
    return [
      ...mismatches.map(({ line, here: { id, name: here }, name }): SheetWarning => {
        const text = `category ${id} is "${here}", but category_name is "${name}" (line ${line}): the ${counts} counts.`;
        return { rule: 'category_mismatch', values: { id, here, name, line, counts }, text };
      }),
      ...this.#unknownWarning(),
    ];
  }

  #unknownWarning(): SheetWarning[] {
    const { unknown } = this;
    if (unknown.length === 0) return [];
    const rows = unknown.reduce((sum, { rows: more }) => sum + more, 0);
    const told = unknown.map(
      ({ name, rows: count, isArchived }) => `${quotedCell(name)} (${count}${isArchived ? ', archived' : ''})`,
    );
    const text = `${rows} rows have categories that the account does not have: ${listed(told)}.`;
    const values = { rows, names: unknown.map(({ name }) => name) };
    return [{ rule: 'unknown_categories', values, text }];
  }

  #idsOf([category, name]: Pair): number[] {
    const isNamed = this.#pairs.get(keyOf([category, name]))?.agrees === false && this.#byName;
    return [...(this.#ids.get(folded(isNamed || folded(category) === '' ? name : category)) ?? [])];
  }

  /** The id of what a row says. @throws UnreadableCell */
  idOf([category, name]: Pair): number {
    const cell = (category || name).trim();
    if (this.#known === undefined) {
      if (/^\s*\d+\s*$/.test(category)) return Number(category);
      throw new UnreadableCell('category_id', cell, 'must be the id of a category');
    }
    const [id, ...others] = this.#idsOf([category, name]);
    if (id !== undefined && others.length === 0) return id;
    if (id === undefined) throw new UnreadableCell('unknown_category', cell, 'is no category of this account');
    const ids = [id, ...others].map(String);
    const reason = `is the name of several categories: give the id, ${ids.join(' or ')}`;
    throw new UnreadableCell('ambiguous_category', cell, reason, { ids });
  }
}
