import type { Caller } from '../access/caller.ts';
import { presentFieldChanges, timestamp } from '../http/presenter.ts';
import type { EpochMs } from '../item/epoch.ts';
import type { FieldChange } from '../item/fieldChanges.ts';

export const changeKinds = ['created', 'updated', 'removed'] as const;

/** What one write changed in an item. */
export interface RecordedChange {
  /** The place among the changes of the account. The next change has the next number. */
  readonly number: number;
  readonly item: number;
  readonly kind: (typeof changeKinds)[number];
  /** The item's revision after the write. If it was removed, its last one. */
  readonly revision: number;
  readonly updatedAt: EpochMs;
  /** The user who wrote or removed the item. */
  readonly updatedBy: string;
  /** When it was recorded, which rises with the numbers. Undefined if it was recorded before that was kept. */
  readonly recordedAt: EpochMs | undefined;
  readonly fields: readonly FieldChange[];
}

export const presentChange = (change: RecordedChange, caller: Caller) => ({
  number: change.number,
  item: change.item,
  kind: change.kind,
  revision: change.revision,
  updated_at: timestamp(change.updatedAt),
  updated_by: change.updatedBy,
  recorded_at: change.recordedAt === undefined ? null : timestamp(change.recordedAt),
  fields: presentFieldChanges(change.fields, caller),
});
