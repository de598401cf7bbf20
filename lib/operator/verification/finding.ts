import type { StoredRecord } from '../../store/database/documentClient.ts';
import type { IdentifierName, Key } from '../../store/records/keys.ts';

/** An item as it was when an identifier of it was checked. */
export interface SeenItem {
  readonly id: number;
  readonly state: 'readable' | 'unreadable' | 'absent';
  readonly revision: number;
  readonly hasIdentifier: boolean;
}

/**
 * What is wrong with an identifier: an item has it without guard; a guard keeps it that no item has; the guard names an
 * item without it, though another has it; two items have it; or it was written too often to be checked.
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
  /** The item that the guard names; null when there is no guard that can be read. */
  readonly owner: number | null;
  /** The items that were looked at, the holders and the owner among them, by their ids. */
  readonly items: readonly SeenItem[];
}

/** The id counter will give out ids that items have, or has so few left that creates will end; null: there is no counter. */
export interface CounterFinding {
  readonly kind: 'id above counter' | 'counter near its end';
  readonly account: string;
  /** The highest id of an item; 0 when there is none. */
  readonly highest: number;
  readonly last: number | null;
}

/** The next category would get an id that a category has. */
export interface CategoryIdFinding {
  readonly kind: 'category above last';
  readonly account: string;
  readonly highest: number;
  /** The id that was given to a category last; null when the account does not tell. */
  readonly last: number | null;
}

/** Items name a unit or a category that their account does not have. */
export interface ReferenceFinding {
  readonly kind: 'unknown unit' | 'unknown category';
  readonly account: string;
  readonly value: string | number;
  /** Some of the items. */
  readonly items: readonly number[];
  /** About how many items there are. */
  readonly count: number;
}

export interface DefaultCategoryFinding {
  readonly kind: 'default category unknown' | 'default category archived';
  readonly account: string;
  readonly category: number;
}

/** A token that its account's list leaves out, or whose account does not exist; or an entry of the list without its token. */
export interface TokenFinding {
  readonly kind: 'token without entry' | 'token without account' | 'entry without token';
  readonly account: string;
  readonly sha256: string;
}

/** A token that grants more than its entry shows. */
export interface TokenExcessFinding {
  readonly kind: 'token beyond entry';
  readonly account: string;
  readonly sha256: string;
  readonly beyond: readonly TokenExcess[];
}
export type TokenExcess = 'permissions' | 'expiry' | 'user';

/** DynamoDB would delete a record that must stay, or never delete an idempotency record. */
export interface ExpiryFinding {
  readonly kind: 'expiring record' | 'endless idempotency record';
  readonly key: Key;
}

/** A repeated create would be answered with an item that does not exist, or with another account's. */
export interface IdempotencyFinding {
  readonly kind: 'idempotency record without item' | 'idempotency record of another account';
  readonly key: Key;
  readonly id: number;
}

/** An item is not in its account's list, or in another place than its name has there. */
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
  /** Goes on from "The record …". Holds no text of a caller. */
  readonly problem: string;
}

/** An invariant that does not hold. */
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

/** The records of a table as they are now: strongly consistent. */
export interface Records {
  get(key: Key): Promise<StoredRecord | undefined>;
  query(partition: string): Promise<readonly StoredRecord[]>;
}
