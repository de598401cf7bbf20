import type { Caller } from '../access/caller.ts';
import { inOrder, isShown, timestamp } from '../http/presenter.ts';
import { jsonPointer } from '../item/json.ts';
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
  fields: change.fields
    .filter(({ field }) => isShown(field, caller))
    .map(({ field, key, from, to }) => ({
      field,
      ...(key !== undefined && { path: jsonPointer([key]) }),
      ...(from !== undefined && { from: inOrder(from) }),
      ...(to !== undefined && { to: inOrder(to) }),
    })),
});
