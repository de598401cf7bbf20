import type { JsonObject } from '../../lib/item/json.ts';
import type { ItemState } from '../support/itemModel.ts';

/** What a client asks. */
export interface AskedRequest {
  readonly account: string;
  readonly body: JsonObject;
  /** The item to update; undefined: a create. */
  readonly id?: number;
  /** The revisions that the update is meant for. */
  readonly ifMatch?: number | readonly number[];
  readonly key?: string;
}

/** What a client was told. */
export interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly data: JsonObject;
  readonly revision: number;
  readonly replayed: boolean;
}

/** One request as its client saw it, and when: the order of beginnings and ends is the real one. */
export interface Operation extends AskedRequest {
  readonly began: number;
  /** Infinity: it never ended for its client. */
  ended: number;
  /** Undefined: no answer came. */
  answer?: Answer;
  /** Its process was told by the database that its write was done. */
  isConfirmed?: boolean;
  /** Nothing went wrong any more when it was asked, and nobody could be in its way. */
  readonly isCalm?: boolean;
  /** One of its messages was carried out twice. */
  isDoubled?: boolean;
}

/** What was done to an item past the service, right after it was created. */
export interface Planted {
  readonly account: string;
  readonly id: number;
  /** The fields that it has since then. */
  readonly fields: JsonObject;
}

/** An item as it was read past the service, at a moment in the order of beginnings and ends. */
export interface Read {
  readonly account: string;
  readonly id: number;
  readonly at: number;
  readonly revision: number;
  readonly state: ItemState;
}

export interface History {
  readonly accounts: readonly string[];
  readonly operations: readonly Operation[];
  readonly planted: readonly Planted[];
  /** In the order of time. */
  readonly reads: readonly Read[];
  /** All records of the table at the end. */
  readonly records: readonly JsonObject[];
}
