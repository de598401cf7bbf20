import type { IdentifierName, Key } from '../../store/records/keys.ts';

export interface IdentifierSuspect {
  readonly of: 'identifier';
  readonly account: string;
  readonly name: IdentifierName;
  readonly text: string;
  /** Ids of the items that may have the identifier or own its guard. */
  readonly items: readonly number[];
}

/** `highest` is the account's highest item id or category id. */
export interface HighestSuspect<Of extends 'counter' | 'category ids'> {
  readonly of: Of;
  readonly account: string;
  readonly highest: number;
}

/** A unit or category that the account may not have. */
export interface ReferenceSuspect {
  readonly of: 'reference';
  readonly account: string;
  readonly field: 'unit' | 'category';
  readonly value: string | number;
  /** Some of the items that use it. */
  readonly items: readonly number[];
  /** How many items use it. */
  readonly count: number;
}

/** An item that may not be listed under its name. */
export interface ListSuspect {
  readonly of: 'list position';
  readonly account: string;
  readonly id: number;
}

export interface TokenSuspect {
  readonly of: 'token';
  readonly account: string;
  readonly sha256: string;
}

/** Something that may be wrong. Each suspect is rechecked independently. */
export type Suspect =
  | IdentifierSuspect
  | HighestSuspect<'counter'>
  | HighestSuspect<'category ids'>
  | ReferenceSuspect
  | TokenSuspect
  | ListSuspect
  | { readonly of: 'default category'; readonly account: string }
  | { readonly of: 'record' | 'expiry' | 'idempotency record'; readonly key: Key };
