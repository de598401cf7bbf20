import type { Json } from '../../../lib/item/json.ts';
import { isSame, nameOf } from './lastRun.ts';
import type { UndoChange } from './undoPlan.ts';

/** An update of an item, by the revision that it has made. */
export const writeKey = (item: number, revision: number): string => `${item} ${revision}`;

/**
 * An item's changes without what an earlier undo has taken back: of each field, its writes, and those since the write
 * that had given the value which they put back. So two selections can be undone one after the other, the newest first.
 * @param changes in their order
 * @param undone the writes of earlier undos, as {@link writeKey} has them
 */
export function withoutUndone<Change extends UndoChange>(
  changes: readonly Change[],
  undone: ReadonlySet<string>,
): readonly Change[] {
  if (!changes.some(({ item, revision }) => undone.has(writeKey(item, revision)))) return changes;
  const kept = changes.map((change) => ({ ...change, fields: [...change.fields] }));
  for (const [end, { item, revision, fields }] of kept.entries()) {
    if (!undone.has(writeKey(item, revision))) continue;
    for (const { to, ...field } of [...fields]) {
      if (to === undefined) continue;
      const name = nameOf(field);
      const begin = placeAfter(kept.slice(0, end), name, to);
      if (begin === undefined) continue;
      for (const change of kept.slice(begin, end + 1))
        change.fields = change.fields.filter((other) => nameOf(other) !== name);
    }
  }
  return kept.filter(({ fields, kind }) => fields.length > 0 || kind === 'removed');
}

/** The place of the first change that is undone: it comes after the last that gave the field a value. */
function placeAfter(changes: readonly UndoChange[], name: string, value: Json): number | undefined {
  const valueIn = ({ fields }: UndoChange) => fields.find((field) => nameOf(field) === name);
  const first = changes.findIndex((change) => isSame(valueIn(change)?.from, value));
  const given = changes.findLastIndex((change) => isSame(valueIn(change)?.to, value));
  const next = changes.findIndex((change, place) => place > given && valueIn(change) !== undefined);
  return given >= 0 ? next : first >= 0 ? first : undefined;
}
