import type { Caller } from '../access/caller.ts';
import { presentFieldChanges, timestamp } from '../http/presenter.ts';
import type { RecordedChange } from './recordedChange.ts';

/** Formats a change for responses, without the fields that the caller may not see. */
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
