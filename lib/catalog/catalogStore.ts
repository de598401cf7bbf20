import type { Account } from '../item/account.ts';
import type { Item, ItemChange, ItemFields } from '../item/item.ts';

/** Why a message to the database was sent again, or a write was built again. */
export const retryReasons = ['throttled', 'conflict', 'unknown', 'moved'] as const;
export type RetryReason = (typeof retryReasons)[number];

/** The longest that a call may take, in milliseconds, whatever its function's time. */
export const longestCall = 8_000;

/** A piece of work on the database: until when, and what it has cost so far. */
export interface TimedContext {
  /** When to stop trying, in milliseconds since 1970. */
  readonly deadline: number;
  /** Counted by the store, reported by the one who asked. */
  readonly stats: { roundTrips: number; retries: Record<RetryReason, number> };
}

/**
 * The beginning of a piece of work.
 * @param deadline when to stop trying, in milliseconds since 1970
 */
export const timedContext = (deadline: number): TimedContext => ({
  deadline,
  stats: { roundTrips: 0, retries: { throttled: 0, conflict: 0, unknown: 0, moved: 0 } },
});

/** One request to the catalog, and on whose behalf. */
export interface RequestContext extends TimedContext {
  readonly account: string;
  readonly user: string;
  /** Unique to this request; every write carries it, so that a write whose answer was lost can be recognised. */
  readonly writeId: string;
}

/** The key by which a create can be repeated without being done again. */
export interface IdempotencyKey {
  readonly key: string;
  /** Tells requests under one key apart: equal for equal bodies. Of a validated body only. */
  readonly fingerprint: () => string;
}

/** What a create came to. */
export interface Created {
  readonly item: Item;
  /** Whether an earlier request with the same key has created it. */
  readonly replayed: boolean;
}

/** What the handlers need of the store. */
export interface CatalogStore {
  /** The account's configuration, at most 60 s old. Throws CatalogError `FORBIDDEN` when there is no such account. */
  account(call: RequestContext): Promise<Account>;
  /** The account's configuration as it is now: to be asked before something is said to be unknown. */
  currentAccount(call: RequestContext): Promise<Account>;
  /**
   * Keeps a new item, once for a key.
   * @throws CatalogError `ITEM_ALREADY_EXISTS`, `IDEMPOTENCY_KEY_REUSED`, and nothing was kept; `SERVICE_UNAVAILABLE` when
   * it could not be done or told in time, and the same request with its key can be sent again
   */
  insertItem(call: RequestContext, fields: ItemFields, key?: IdempotencyKey): Promise<Created>;
  /** What an earlier create with this key and the same body has made. */
  findCreated(call: RequestContext, key: IdempotencyKey): Promise<Item | undefined>;
  /**
   * Changes an item in one atomic write.
   * @param revisions the revisions that the item must be at (`If-Match`); undefined: any
   * @returns the item after the change
   * @throws CatalogError `ITEM_NOT_FOUND`, `VALIDATION_FAILED` on `metadata`, `ITEM_ALREADY_EXISTS`, `PRECONDITION_FAILED`;
   * `SERVICE_UNAVAILABLE` when it could not be done or told in time, and the same request can be sent again
   */
  modifyItem(
    call: RequestContext,
    id: number,
    change: ItemChange,
    revisions: readonly number[] | undefined,
  ): Promise<Item>;
}
