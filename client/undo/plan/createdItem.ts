import { identifierNames } from '../../../lib/item/fields.ts';
import type { Json } from '../../../lib/item/json.ts';
import { isOwn, lastOther, type MarkedChange, runOf } from './changeHistory.ts';

/** What an item gets when its creation is undone. It keeps all else that the creation gave it. */
const uncreated: ReadonlyMap<string, Json> = new Map<string, Json>([
  ['active', false],
  ...identifierNames.map((name) => [name, null] as const),
]);

/**
 * How a field goes back: to the value before the {@link runOf} selected changes, unless somebody else has changed it since.
 * One that the selection's creation of the item gave goes back with the item, unless somebody else has written that.
 * @returns its run, what it goes back to (undefined if that was not kept), and the change since on account of which it
 * stays; undefined for what the creation gave, and the item keeps
 */
export function wayBack(history: readonly MarkedChange[], field: string) {
  const { run, isFirst, since } = runOf(history, field);
  const before = run.find(({ fields }) => fields.has(field))?.fields.get(field)?.from;
  const isCreated = isFirst && history.find(isOwn)?.kind === 'created';
  if (!isCreated) return { isCreated, run, before, since };
  const taken = takenTooEarly(history, field);
  if (taken !== undefined) return { isCreated: false, run, before: taken.fields.get(field)?.from, since };
  if (!uncreated.has(field)) return undefined;
  return { isCreated, run, before: uncreated.get(field), since: lastOther(history) };
}

/** This undo's change of a field that it made before it knew that somebody else had written the item. */
function takenTooEarly(history: readonly MarkedChange[], field: string): MarkedChange | undefined {
  const place = history.findIndex(({ mark, fields }) => mark === 'by this undo' && fields.has(field));
  return lastOther(history.slice(0, place + 1)) && history[place];
}
