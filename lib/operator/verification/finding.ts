import type { StoredRecord } from '../../store/database/documentClient.ts';
import type { IdentifierName, Key } from '../../store/records/keys.ts';

/** An item as it was when its identifier was checked. */
export interface ItemSnapshot {
  readonly id: number;
  readonly state: 'readable' | 'unreadable' | 'absent';
  readonly revision: number;
  readonly hasIdentifier: boolean;
}

/**
 * What is wrong with an identifier: an item has it but there is no guard; there is a guard but no item has it; the
 * guard names one item but another has it; two items have it; or it changed too often to be checked.
 */
export interface IdentifierFinding {
  readonly kind:
    | 'guard missing'
    | 'guard orphaned'
    | 'guard mismatched'
    | 'duplicate identifier'
    | 'identifier unsettled';
  readonly account: string;
  readonly name: IdentifierName;
  readonly text: string;
  /** The item that the guard names; null if there is no readable guard. */
  readonly owner: number | null;
  /** The items that were checked, sorted by id, including the holders and the owner. */
  readonly items: readonly ItemSnapshot[];
}

/** The id counter will lease ids that are already in use, or has so few left that creates will start to fail. */
export interface CounterFinding {
  readonly kind: 'id above counter' | 'counter near its end';
  readonly account: string;
  /** The highest item id; 0 if there are no items. */
  readonly highest: number;
  /** The last leased id; null if there is no readable counter. */
  readonly last: number | null;
}

/** The next category would get an id that is already in use. */
export interface CategoryIdFinding {
  readonly kind: 'category above last';
  readonly account: string;
  readonly highest: number;
  /** The last category id that was assigned; null if it is not stored. */
  readonly last: number | null;
}

/** Items use a unit or category that their account does not have. */
export interface ReferenceFinding {
  readonly kind: 'unknown unit' | 'unknown category';
  readonly account: string;
  readonly value: string | number;
  /** Some of the items. */
  readonly items: readonly number[];
  /** The approximate number of such items. */
  readonly count: number;
}

export interface DefaultCategoryFinding {
  readonly kind: 'default category unknown' | 'default category archived';
  readonly account: string;
  readonly category: number;
}

/** A token that is not in its account's list, or whose account does not exist; or a list entry without its token. */
export interface TokenFinding {
  readonly kind: 'token without entry' | 'token without account' | 'entry without token';
  readonly account: string;
  readonly sha256: string;
}

/** A token that grants more than its list entry shows. */
export interface TokenExcessFinding {
  readonly kind: 'token exceeds entry';
  readonly account: string;
  readonly sha256: string;
  readonly excess: readonly TokenExcess[];
}
export type TokenExcess = 'permissions' | 'expiry' | 'user';

/** DynamoDB would delete a record that must stay, or would not delete an idempotency record in time. */
export interface ExpiryFinding {
  readonly kind: 'expiring record' | 'idempotency record expiry';
  readonly key: Key;
}

/** A retried create would return an item that does not exist, or one of another account. */
export interface IdempotencyFinding {
  readonly kind: 'idempotency record without item' | 'idempotency record of another account';
  readonly key: Key;
  readonly id: number;
}

/** An item is not in its account's list, or is listed under another name. */
export interface ListFinding {
  readonly kind: 'item not listed';
  readonly account: string;
  readonly id: number;
  readonly name: string;
  readonly revision: number;
}

export interface RecordFinding {
  readonly kind: 'unreadable record' | 'invalid values';
  readonly key: Key;
  /** Continues "The record …". Contains no text from callers. */
  readonly problem: string;
}

/** A violated invariant. */
export type Finding =
  | IdentifierFinding
  | CounterFinding
  | CategoryIdFinding
  | ReferenceFinding
  | DefaultCategoryFinding
  | TokenFinding
  | TokenExcessFinding
  | ExpiryFinding
  | IdempotencyFinding
  | ListFinding
  | RecordFinding;

/** Strongly consistent reads of a table's records. */
export interface Records {
  get(key: Key): Promise<StoredRecord | undefined>;
  query(partition: string): Promise<readonly StoredRecord[]>;
}
