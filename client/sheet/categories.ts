import { listed } from '../../lib/item/violation.ts';
import { occurrenceWarning, quotedCell, type SheetWarning, UnreadableCell } from './notices.ts';
import { isBlank } from './thirdPartyCells.ts';

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

/** A row's category, by id or name, or both. */
type Pair = readonly [category: string, name: string];

const saysNothing = (pair: Pair): boolean => pair[0] === 'null' || pair.every(isBlank);
const keyOf = ([category, name]: Pair): string => `${folded(category)}\n${folded(name)}`;

/** The category of equal rows. */
interface Said {
  readonly pair: Pair;
  /** The first one. */
  readonly line: number;
  /** The account's category of that id, if the row also has a name. These must agree. */
  readonly here: SheetCategory | undefined;
  rows: number;
}

const disagrees = (said: Said): said is Said & { readonly here: SheetCategory } =>
  said.here !== undefined && folded(said.here.name) !== folded(said.pair[1]);

export class Categories {
  readonly #known: readonly SheetCategory[] | undefined;
  /** By id, and by name those that can be chosen. */
  readonly #ids = new Map<string, Set<number>>();
  readonly #said = new Map<string, Said>();
  /** Known once it is asked for, after all rows were noted. */
  #isByName: boolean | undefined;

  /** @param known undefined if nobody has loaded them: then only ids are read */
  constructor(known: readonly SheetCategory[] | undefined) {
    this.#known = known;
    for (const { id, name, archived } of known ?? [])
      for (const text of archived ? [String(id)] : [String(id), folded(name)])
        this.#ids.set(text, (this.#ids.get(text) ?? new Set()).add(id));
  }

  note(line: number, pair: Pair): void {
    if (saysNothing(pair)) return;
    const said = this.#said.get(keyOf(pair));
    if (said !== undefined) said.rows += 1;
    else {
      const [category, name] = pair;
      const here = isBlank(name) ? undefined : this.#known?.find(({ id }) => String(id) === category);
      this.#said.set(keyOf(pair), { pair, line, here, rows: 1 });
    }
  }

  /** Whether names count, because most ids that have one have another name here: the file is of another account. */
  get #byName(): boolean {
    this.#isByName ??= 2 * this.#idsThat((said) => !disagrees(said)) <= this.#idsThat(() => true);
    return this.#isByName;
  }

  /** The number of ids that have a name. */
  #idsThat(isIt: (said: Said) => boolean): number {
    return new Set([...this.#said.values()].flatMap((said) => (isIt(said) ? (said.here?.id ?? []) : []))).size;
  }

  /** The categories that are missing, by the names under which they can be added. */
  get unknown(): UnknownCategory[] {
    const missing = new Map<string, UnknownCategory>();
    for (const { pair, rows } of this.#known === undefined ? [] : this.#said.values()) {
      if (this.#idsOf(pair).length > 0) continue;
      const name = pair[1] || pair[0];
      const isArchived = this.#known?.some((known) => folded(known.name) === folded(name)) === true;
      missing.set(folded(name), { name, rows: rows + (missing.get(folded(name))?.rows ?? 0), isArchived });
    }
    return [...missing.values()];
  }

  get warnings(): SheetWarning[] {
    const counts = this.#byName ? 'name' : 'id';
    const mismatches = [...this.#said.values()].filter(disagrees);
    const count = mismatches.reduce((sum, { rows }) => sum + rows, 0);
    // The first one: a file of another account can have thousands.
    const mismatch = mismatches.slice(0, 1).map(({ here, line, pair: [, name] }) => {
      const text = `category ${here.id} is "${here.name}", but category_name is "${name}": the ${counts} counts`;
      const values = { id: here.id, here: here.name, name, counts };
      return occurrenceWarning('category_mismatch', text, { line, count }, values);
    });
    const { unknown } = this;
    if (unknown.length === 0) return mismatch;
    const rows = unknown.reduce((sum, { rows: more }) => sum + more, 0);
    const told = unknown.map(
      ({ name, rows: count, isArchived }) => `${quotedCell(name)} (${count}${isArchived ? ', archived' : ''})`,
    );
    const text = `${rows} rows have categories that the account does not have: ${listed(told)}.`;
    const values = { rows, names: unknown.map(({ name }) => name) };
    return [...mismatch, { rule: 'unknown_categories', values, text }];
  }

  #idsOf(pair: Pair): number[] {
    const [category, name] = pair;
    const said = this.#said.get(keyOf(pair));
    const isNamed = category === '' || (said !== undefined && disagrees(said) && this.#byName);
    return [...(this.#ids.get(folded(isNamed ? name : category)) ?? [])];
  }

  /** The id of what a row says; undefined: nothing. @throws UnreadableCell */
  idOf(pair: Pair): number | null | undefined {
    const [category, name] = pair;
    if (saysNothing(pair)) return category === 'null' ? null : undefined;
    const cell = category || name;
    if (this.#known === undefined) {
      if (/^\d+$/.test(category)) return Number(category);
      throw new UnreadableCell('category_id', cell, 'must be the id of a category');
    }
    const [id, ...others] = this.#idsOf(pair);
    if (id !== undefined && others.length === 0) return id;
    if (id === undefined) throw new UnreadableCell('unknown_category', cell, 'is no category of this account');
    const ids = [id, ...others].map(String);
    const reason = `is the name of several categories: give the id, ${ids.join(' or ')}`;
    throw new UnreadableCell('ambiguous_category', cell, reason, { ids });
  }
}
