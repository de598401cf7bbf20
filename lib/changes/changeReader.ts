import type { EpochMs } from '../item/epoch.ts';
import type { RecordedChange } from './recordedChange.ts';

/** What the use cases that read changes need from the store. */
export interface ChangeReader {
  /**
   * The account's changes from a number on, in order and without gaps. There may be none yet.
   * @param from undefined for those that follow from now on
   * @returns the changes, the number from which to go on, and whether more may be there already
   * @throws CatalogError `CHANGES_EXPIRED` if the first change is no longer kept, `FORBIDDEN` if there is no such account
   */
  listChanges(
    from: number | undefined,
    limit: number,
  ): Promise<{ changes: readonly RecordedChange[]; next: number; hasMore: boolean }>;
  /**
   * The number from which to list what was recorded at a time or later.
   * @throws CatalogError `CHANGES_EXPIRED` if changes from that time on are no longer kept, or changes were lost more than
   * 10 minutes after it; `FORBIDDEN`
   */
  findChange(recordedFrom: EpochMs): Promise<number>;
  /**
   * The changes of one item that are kept, newest first; none if the account has never had the item.
   * @param after the place from which to go on, of an earlier page; undefined for the newest
   * @returns a page, each change with its place, and the place from which to go on; undefined at the end
   * @throws CatalogError `FORBIDDEN` if there is no such account
   */
  listItemChanges(
    item: number,
    after: string | undefined,
    limit: number,
  ): Promise<{ changes: readonly (RecordedChange & { readonly place: string })[]; next: string | undefined }>;
}
