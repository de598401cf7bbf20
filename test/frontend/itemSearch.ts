import { type Client, type Item, loadItem, searchItems } from './catalogClient.ts';

const maxItems = 5_000; // of an account; a longer list takes too long to load
const maxAge = 15 * 60_000; // of the loaded list, in milliseconds

/** The words of a text, without what the service ignores in names: case, accents, characters that are not drawn. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .toUpperCase() // ß and SS are only equal in upper case
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Searches the items of the signed-in user, which it keeps in memory. Make a new one for each user. */
export class ItemSearch {
  readonly #client: Client;
  readonly #entries = new Map<number, { item: Item; text: string }>(); // with a blank before each word
  readonly #saved = new Set<number>(); // since the last load began, which may have read them before
  #loading: Promise<number> | undefined;
  #freshUntil = -Infinity; // until the list is loaded, and Infinity if it is too long

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Finds items by the beginnings of words in name, SKU and part number, in any order. Names that begin with the whole
   * text come first. Until the list is loaded, and if it is too long, only these are found, by the service.
   */
  async find(text: string, limit = 20): Promise<Item[]> {
    const found: Item[] = [];
    const words = wordsOf(text);
    const rank = (entry: { text: string }) => (entry.text.startsWith(` ${words.join(' ')}`) ? 0 : 1);
    if (Number.isFinite(this.#freshUntil))
      return [...this.#entries.values()]
        .filter((entry) => words.every((word) => entry.text.includes(` ${word}`)))
        .sort((one, other) => rank(one) - rank(other) || (one.text < other.text ? -1 : 1))
        .slice(0, limit)
        .map(({ item }) => item);
    for await (const item of searchItems(this.#client, text, limit)) if (found.push(item) === limit) break;
    return found;
  }

  /** Call it with every item that the user creates, saves or opens, so that it is found as it is now. */
  put(item: Item): void {
    this.#saved.add(item.id);
    this.#keep(item);
  }

  #keep(item: Item): void {
    const words = [item.name, item.sku ?? '', item.pn ?? ''].flatMap(wordsOf);
    if (item.active) this.#entries.set(item.id, { item, text: ` ${words.join(' ')}` });
    else this.#entries.delete(item.id);
  }

  /** Call it when the user enters the search box. Loads the list, unless it was loaded in the last 15 minutes. */
  async refresh(): Promise<void> {
    if (Date.now() < this.#freshUntil) return;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    this.#freshUntil = await this.#loading;
  }

  async #load(): Promise<number> {
    this.#saved.clear();
    const unlisted = new Set(this.#entries.keys());
    for await (const item of searchItems(this.#client, '', 100)) {
      unlisted.delete(item.id);
      if (!this.#saved.has(item.id)) this.#keep(item);
      if (this.#entries.size > maxItems) return Infinity;
    }
    // Inactive items are not listed, and those that were created or renamed moments ago may not be.
    for (const id of unlisted) {
      const loaded = await loadItem(this.#client, id);
      if (loaded !== undefined) this.#keep(loaded.item);
    }
    return Date.now() + maxAge;
  }
}
