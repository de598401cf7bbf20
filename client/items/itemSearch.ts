import { type FilterField, filterFields, identifierNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { type Client, type Item, RequestError, type RequestOptions } from '../http/catalogClient.ts';
import { nextTurn, type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { notify } from '../state/notify.ts';
import { type Change, followChanges, lag, startOfCopy } from './followChanges.ts';
import { findItems, type ListQuery, loadItems, loadPage } from './readItems.ts';

const maxItems = 5_000; // of an account; a longer list takes too long to load

/** The clients whose lists are too long, for as long as these are used: nobody has to find that out twice in a visit. */
const clientsOfLongLists = new WeakSet<Client>();

export interface FindOptions extends RequestOptions {
  /** How many items to find at most. By default 20. */
  readonly limit?: number | undefined;
  /** What else the items must be, such as `{ category: 3 }`. */
  readonly filter?: ListQuery | undefined;
  /** Called after each item that the service finds, with all that are found so far. */
  readonly onProgress?: ((found: readonly Item[]) => void) | undefined;
}

const isLocal = (name: string) => (filterFields as readonly string[]).includes(name);

export interface SearchOptions extends PollOptions {
  /** Called when what has changed is found from now on, also what this user has changed. */
  readonly onChange?: (() => void) | undefined;
}

/**
 * Searches the active items of the signed-in user, which it keeps in memory. Make a new one for each sign-in.
 * @example const desks = await new ItemSearch(client).find('desk');
 */
export class ItemSearch {
  readonly #client: Client;
  readonly #options: SearchOptions;
  /** Also inactive items that were active. The text has a blank before each word. */
  readonly #entries = new Map<number, { item: Item; text: string }>();
  #loading: Promise<void> | undefined;
  /** How it searches: by words in memory, or by the service, which knows names by their beginning, and whole codes. */
  searchedBy: 'words' | 'beginnings' = 'beginnings';

  constructor(client: Client, options: SearchOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** Whether it is being loaded, or followed since. If not, `load` loads it. */
  readonly isKept = (): boolean => this.#loading !== undefined;

  /**
   * Finds items by the beginnings of words in name, SKU and part number, in any order. Names that begin with the whole
   * text come first. Until the list is loaded, and if it is too long, the service finds names by their beginning, and
   * whole codes.
   */
  readonly find = async (text: string, options: FindOptions = {}): Promise<Item[]> => {
    const { limit = 20, filter = {}, onProgress, ...sending } = { ...this.#options, ...options };
    if (this.canFind(filter)) return this.#findLoaded(wordsOf(text), filter).slice(0, limit);
    const found: Item[] = [];
    const query = { ...filter, limit: Math.min(limit, limits.page.max) };
    for await (const item of findItems(this.#client, text, query, sending)) {
      if (found.push(item) === limit) break;
      onProgress?.([...found]);
    }
    return found;
  };

  /** Whether it finds by words what has this filter: it knows active items only. */
  readonly canFind = (filter: ListQuery = {}): boolean => {
    const asked = Object.entries(filter).filter(([, value]) => value !== undefined);
    return this.searchedBy === 'words' && asked.every(([name, value]) => isLocal(name) && value !== false);
  };

  #findLoaded(words: readonly string[], filter: ListQuery): Item[] {
    const rank = (entry: { text: string }) => (entry.text.startsWith(` ${words.join(' ')}`) ? 0 : 1);
    const wanted = Object.entries(filter).filter(([, value]) => value !== undefined);
    const isWanted = (item: Item) => wanted.every(([name, value]) => item[name as FilterField] === value);
    return [...this.#entries.values()]
      .filter(({ item, text }) => item.active && isWanted(item) && words.every((word) => text.includes(` ${word}`)))
      .sort((entry, other) => rank(entry) - rank(other) || (entry.text < other.text ? -1 : 1))
      .map(({ item }) => item);
  }

  /** Call it with every item that the user creates, saves or opens, so that it is found at once as it is now. */
  readonly upsert = (item: Item): void => {
    const { id, name, revision } = item;
    if (this.#isTooLong || revision < this.#revisionOf(id)) return;
    const texts = [name, ...identifierNames.map((identifier) => item[identifier] ?? '')];
    this.#entries.set(id, { item, text: ` ${texts.flatMap(wordsOf).join(' ')}` });
  };

  get #isTooLong(): boolean {
    return clientsOfLongLists.has(this.#client);
  }

  #revisionOf(id: number): number {
    return this.#entries.get(id)?.item.revision ?? 0;
  }

  /**
   * Call it when the user enters the search box. Loads the list, unless it is loaded or too long, and follows it from then
   * on.
   * @throws RequestError if loading is refused, or without an answer. The next call tries again
   */
  readonly load = (): Promise<void> => {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  };

  /** Lists the items once more, as after an import: what it has written may be recorded later than it is listed. */
  readonly refresh = async (): Promise<void> => {
    if (this.searchedBy === 'words') await this.#loadList();
  };

  async #load(): Promise<void> {
    const since = await startOfCopy(this.#client, this.#options);
    await this.#loadList();
    this.#follow(since);
  }

  async #loadList(): Promise<void> {
    if (!this.#isTooLong) await this.#loadItems();
    if (this.#isTooLong) this.#entries.clear();
    this.searchedBy = this.#isTooLong ? 'beginnings' : 'words';
  }

  async #loadItems(): Promise<void> {
    const unlisted = new Set(this.#entries.keys());
    let query: { limit: number; cursor?: string } = { limit: limits.page.max };
    for (let pages = 1; ; pages += 1) {
      const { data, next_cursor } = await loadPage(this.#client, query, this.#options);
      for (const item of data) {
        unlisted.delete(item.id);
        this.upsert(item);
      }
      if (next_cursor === null) break;
      const estimate = pages === 1 ? await estimateItems(this.#client, this.#options) : 0;
      if (Math.max(estimate, this.#entries.size) > maxItems) {
        clientsOfLongLists.add(this.#client);
        return;
      }
      query = { limit: limits.page.max, cursor: next_cursor };
    }
    // Inactive items are not listed, and those that were created or renamed moments ago may not be.
    await this.#reload([...unlisted]);
  }

  async #reload(ids: readonly number[]): Promise<void> {
    const removed = new Set(ids);
    for (const item of await loadItems(this.#client, ids, this.#options)) {
      removed.delete(item.id);
      this.upsert(item);
    }
    for (const id of removed) this.#entries.delete(id);
  }

  /** Ends when the user may read nothing any more, until the next `load`. When changes were lost, the list is loaded again. */
  async #follow(since: Date): Promise<void> {
    const options = { ...this.#options, background: true };
    let isLost = false;
    try {
      for await (const { changes } of followChanges(this.#client, since, this.#options)) {
        // A removal has the revision of the write before it.
        const isNews = ({ item, kind, revision }: Change) => kind === 'removed' || revision > this.#revisionOf(item);
        const ids = new Set(changes.filter(isNews).map(({ item }) => item));
        if (this.searchedBy === 'words') await retryUntilDone(() => this.#reload([...ids]), options);
        notify(this.#options.onChange);
      }
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      isLost = error.status === 410;
      // Until then, the changes since the list was begun could still be those that are lost.
      if (isLost) await nextTurn({ ...options, interval: lag });
    } finally {
      this.#loading = undefined;
    }
    if (!isLost) return;
    // Whoever may read nothing any more finds nothing new.
    await retryUntilDone(() => this.load(), options).catch(() => undefined);
    notify(this.#options.onChange);
  }
}

/** So many ids are sampled, each of which stands for as many. More items than these ids are too many anyway. */
const idsInSample = 100;

/** About how many active items there are, by one request. */
async function estimateItems(client: Client, options: RequestOptions): Promise<number> {
  // Ids are leased by tens, of which the last are used less often: all places are sampled equally often.
  const ids = Array.from({ length: idsInSample }, (_, index) => 1 + idsInSample * index + ((7 * index) % 10));
  const { data } = await loadPage(client, { ids }, options);
  return idsInSample * data.filter(({ active }) => active).length;
}

/** Letters of scripts that have no blanks between words. */
const unspaced = String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]`;
const word = new RegExp(String.raw`(?:(?!${unspaced})[\p{L}\p{N}])+|[\p{L}\p{N}]`, 'gu');

/**
 * The words of a text, of scripts without blanks its letters, without what the service ignores in names: case, accents,
 * characters that are not drawn.
 */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .toUpperCase() // ß and SS are only equal in upper case
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .match(word) ?? [];
