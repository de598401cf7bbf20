import type { JsonObject } from '../../lib/item/json.ts';
import type { ItemState } from '../support/items/itemModel.ts';

export interface ClientRequest {
  readonly account: string;
  readonly body: JsonObject;
  /** The item to update. Undefined means a create. */
  readonly id?: number;
  /** The revisions that the update is meant for. */
  readonly ifMatch?: number | readonly number[];
  readonly key?: string;
  /** Whether nothing is to be written if the update changes nothing. */
  readonly skipsUnchanged?: boolean;
}

export interface ClientResponse {
  readonly status: number;
  readonly code: string | undefined;
  readonly data: JsonObject;
  readonly revision: number;
  readonly replayed: boolean;
  /** The row of a batch was skipped, because it would have changed nothing. */
  readonly isUnchanged?: boolean;
}

/** One request as its client saw it, and when. The order of beginnings and ends is the real one. */
export interface Operation extends ClientRequest {
  readonly began: number;
  /** Infinity means that it never ended for its client. */
  ended: number;
  /** Undefined means that no response came. */
  response?: ClientResponse;
  /** The database confirmed its write to its process. */
  isConfirmed?: boolean;
  /** Its response is the item as its process read it, maybe with later changes by others. */
  isAnsweredByRead?: boolean;
  /** One of its requests to DynamoDB was executed twice. */
  isDeliveredTwice?: boolean;
}

/** A change of an item that bypassed the service, right after it was created. */
interface Planted {
  readonly account: string;
  readonly id: number;
  /** The changed fields. */
  readonly fields: JsonObject;
}

/** An item as it was read directly from the table, at a moment in the order of beginnings and ends. */
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
  /** In chronological order. */
  readonly reads: readonly Read[];
  /** All records of the table at the end. */
  readonly records: readonly JsonObject[];
}
