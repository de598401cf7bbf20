import type { JsonObject } from '../../lib/item/json.ts';
import type { ClientRequest, History, Operation } from './history.ts';

export const isCreate = ({ id }: ClientRequest): boolean => id === undefined;

/** An operation whose client does not know its outcome: it may have happened once, or not at all. */
export const isOpen = ({ response }: Operation): boolean => response === undefined || response.status === 503;

/** A successful update that is not known to have made the revision that it was answered. */
export const mayShowLater = ({ response, isAnsweredByRead }: Operation): boolean =>
  response?.status === 200 && (response.replayed || isAnsweredByRead === true || response.isUnchanged === true);

/** Whether an operation ended before another began, and so must come before it. */
export const precedes = (one: Operation, other: Operation): boolean => !isOpen(one) && one.ended < other.began;

/** Whether an update is allowed at this revision. */
export const allows = ({ ifMatch }: ClientRequest, revision: number): boolean =>
  ifMatch === undefined || [ifMatch].flat().includes(revision);

export const itemsOf = ({ records }: History): JsonObject[] =>
  records.filter(({ pk }) => String(pk).endsWith('#ITEMS'));

export const accountOf = (record: JsonObject): string => String(record['pk']).split('#')[1] ?? '';
