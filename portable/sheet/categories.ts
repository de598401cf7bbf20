import { listed } from '../../lib/item/violation.ts';
import { UnreadableCell } from './cells.ts';

export interface SheetCategory {
  readonly id: number;
  readonly name: string;
  readonly archived: boolean;
}

/** Case and blanks do not matter. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase().trim().replaceAll(/\s+/g, ' ');

export class Categories {
  readonly #known: readonly SheetCategory[] | undefined;
  /** By id, and by name those that can be chosen. */
  readonly #ids = new Map<string, Set<number>>();
  /** What the file says together, by both. */
  readonly #pairs = new Map<string, { line: number; here: SheetCategory; name: string; agrees: boolean }>();

  /** @param known undefined if nobody has loaded them: then only ids are read */
  constructor(known: readonly SheetCategory[] | undefined) {
    this.#known = known;
    for (const { id, name, archived } of known ?? [])
      for (const text of archived ? [String(id)] : [String(id), folded(name)])
        this.#ids.set(text, (this.#ids.get(text) ?? new Set()).add(id));
  }

  note(line: number, category: string, name: string): void {
    const here = this.#known?.find(({ id }) => String(id) === category.trim());
    const key = `${category.trim()} ${folded(name)}`;
    if (here === undefined || folded(name) === '' || this.#pairs.has(key)) return;
    this.#pairs.set(key, { line, here, name: name.trim(), agrees: folded(here.name) === folded(name) });
  }

  /** Whether names count, because most ids that have one have another name here: the file is of another account. */
  get #byName(): boolean {
    const pairs = [...this.#pairs.values()];
    const ids = (some: typeof pairs) => new Set(some.map(({ here }) => here.id)).size;
    return ids(pairs.filter(({ agrees }) => agrees)) * 2 <= ids(pairs);
  }

  get warnings(): string[] {
    const counts = this.#byName ? 'name' : 'id';
    return [...this.#pairs.values()]
      .filter(({ agrees }) => !agrees)
      .map(
        ({ line, here, name }) =>
          `category ${here.id} is "${here.name}", but category_name is "${name}" (line ${line}): the ${counts} counts.`,
      );
  }

  /** The id of what a row says. One of both is not blank. @throws UnreadableCell */
  idOf(category: string, name: string): number {
    if (this.#known === undefined) {
      if (/^\s*\d+\s*$/.test(category)) return Number(category);
      throw new UnreadableCell('must be the id of a category');
    }
    const isNamed = this.#pairs.get(`${category.trim()} ${folded(name)}`)?.agrees === false && this.#byName;
    const [id, ...others] = this.#ids.get(folded(isNamed || folded(category) === '' ? name : category)) ?? [];
    if (id !== undefined && others.length === 0) return id;
    const open = this.#known.filter(({ archived }) => !archived);
    throw new UnreadableCell(
      id === undefined
        ? `must be a category, by id or name: ${listed(open.map((one) => `${one.id} ${one.name}`))}`
        : `is the name of several categories: give the id, ${[id, ...others].join(' or ')}`,
    );
  }
}
