import type { StoredRecord } from '../../store/database/documentClient.ts';
import type { IdentifierName, Key } from '../../store/records/keys.ts';
import { identifierNames, keys } from '../../store/records/keys.ts';
import type { RecordKind } from '../../store/records/parseKey.ts';
import { keyIn, parseKey } from '../../store/records/parseKey.ts';
import { problemOf } from './recordProblem.ts';

/** Something that may be wrong, and is to be looked at again, by itself and at one moment. */
export type Suspect =
  | {
      readonly of: 'identifier';
      readonly account: string;
      readonly name: IdentifierName;
      readonly text: string;
      /** Ids of items that may have the code or own its guard. */
      readonly items: readonly number[];
    }
  /** `highest` is the account's highest id of an item. */
  | { readonly of: 'counter'; readonly account: string; readonly highest: number }
  | { readonly of: 'token'; readonly account: string; readonly sha256: string }
  | { readonly of: 'record'; readonly key: Key };

/** The owner that a guard names; undefined when it is unreadable. */
export function ownerIn(guard: StoredRecord): number | undefined {
  const owner = guard['item_id'];
  return isSafeInteger(owner) ? owner : undefined;
}

const isSafeInteger = (value: unknown): value is number => Number.isSafeInteger(value);

/** The last id that a counter has given out; undefined when it is unreadable or there is none. */
export function lastIn(counter: StoredRecord | undefined): number | undefined {
  const last = counter?.['last'];
  return isSafeInteger(last) ? last : undefined;
}

/**
 * Takes in all records of a table, in any order and not of one moment, and tells what does not match. Items are not
 * kept. A code is kept until its other half comes by, as the text of its guard's key and an id: about 300 bytes for a
 * code of 20 characters, so at most 600 for an item with both codes, and nothing for one without.
 */
export class CrossCheck {
  /** By the partition key of the code's guard: the item that has it, and the one that the guard names. */
  readonly #holders = new Map<string, number>();
  readonly #owners = new Map<string, number>();
  /** Further items that have a code. */
  readonly #rivals = new Map<string, number[]>();
  readonly #highest = new Map<string, number>();
  readonly #last = new Map<string, number>();
  /** Tokens without entry, and entries without token, as `account#sha256`. */
  readonly #unpairedTokens = new Set<string>();
  readonly #unreadable: Key[] = [];

  add(record: StoredRecord): void {
    if (problemOf(record) !== undefined) this.#unreadable.push(keyIn(record));
    const place = parseKey(keyIn(record));
    // What can be seen of an unreadable record counts: it still has its codes and its id.
    if (place !== undefined) this.#count(place, record);
  }

  #count(place: RecordKind, record: StoredRecord): void {
    if (place.kind === 'item') this.#addItem(place, record);
    if (place.kind === 'guard') this.#addGuard(keyIn(record).pk, ownerIn(record));
    if (place.kind === 'counter') this.#last.set(place.account, lastIn(record) ?? Number.POSITIVE_INFINITY);
    if (place.kind === 'token') this.#pairToken(record['account'], place.sha256);
    if (place.kind === 'token entry') this.#pairToken(place.account, record['hash']);
  }

  #addItem({ account, id }: { account: string; id: number }, record: StoredRecord): void {
    this.#highest.set(account, Math.max(id, this.#highest.get(account) ?? 0));
    for (const name of identifierNames) {
      const text = record[name];
      if (typeof text !== 'string') continue;
      const { pk } = keys.guard(account, name, text);
      if (this.#owners.get(pk) === id) this.#owners.delete(pk);
      else if (this.#holders.has(pk)) this.#addRival(pk, id);
      else this.#holders.set(pk, id);
    }
  }

  #addRival(pk: string, id: number): void {
    const rivals = this.#rivals.get(pk);
    if (rivals === undefined) this.#rivals.set(pk, [id]);
    else rivals.push(id);
  }

  #addGuard(pk: string, owner: number | undefined): void {
    if (owner === undefined) return;
    if (this.#holders.get(pk) === owner && !this.#rivals.has(pk)) this.#holders.delete(pk);
    else this.#owners.set(pk, owner);
  }

  #pairToken(account: unknown, sha256: unknown): void {
    if (typeof account !== 'string' || typeof sha256 !== 'string') return;
    const pair = `${account}#${sha256}`;
    if (!this.#unpairedTokens.delete(pair)) this.#unpairedTokens.add(pair);
  }

  /** What is left in doubt when all records are in. */
  *suspects(): Generator<Suspect> {
    for (const key of this.#unreadable) yield { of: 'record', key };
    for (const [account, highest] of this.#highest)
      if (highest > (this.#last.get(account) ?? 0)) yield { of: 'counter', account, highest };
    for (const pk of this.#holders.keys()) yield this.#suspectCode(pk);
    for (const pk of this.#owners.keys()) if (!this.#holders.has(pk)) yield this.#suspectCode(pk);
    for (const pair of this.#unpairedTokens) {
      const [account = '', sha256 = ''] = pair.split('#');
      yield { of: 'token', account, sha256 };
    }
  }

  #suspectCode(pk: string): Suspect {
    const place = parseKey({ pk, sk: guardSort });
    if (place?.kind !== 'guard') throw new Error("A code was kept under a key that is no guard's");
    const { account, name, text } = place;
    const ids = [this.#holders.get(pk), ...(this.#rivals.get(pk) ?? []), this.#owners.get(pk)];
    return { of: 'identifier', account, name, text, items: [...new Set(ids.filter((id) => id !== undefined))] };
  }
}

const { sk: guardSort } = keys.guard('', 'sku', '');
