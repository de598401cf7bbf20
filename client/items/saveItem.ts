import type { Answer, Client, Item, Schemas } from '../http/catalogClient.ts';
import { type RequestOptions, requestOptions } from '../http/requestOptions.ts';
import { type LoadedItem, loadedItem } from './readItems.ts';

type Changes = Schemas['ItemChanges'];

export interface Conflict extends LoadedItem {
  /** What both have changed, such as `value`, `metadata.color`, or `qty` for a quantity and its unit. */
  readonly names: readonly string[];
}

/** How often changes are merged with those of others. */
const maxMerges = 5;

/**
 * Saves only what the user has changed. If somebody else has changed other fields or other metadata keys of the item in
 * the meantime, both changes are kept. If they changed the same ones, or save again and again, nothing is saved, and
 * `conflict` is the current item, so that the user can decide.
 * @param key a {@link newKey} for these changes. To try again, send the same one: nothing is written twice
 * @example const { data, error, conflict } = await saveItem(client, await loadItem(client, 7), { value: 479.9 }, newKey());
 */
export async function saveItem(
  client: Client,
  loaded: LoadedItem,
  changes: Changes,
  key: string,
  options: RequestOptions = {},
): Promise<Answer<Schemas['ItemResponse']> & { readonly conflict?: Conflict }> {
  let { item } = loaded;
  for (let merges = 0; ; merges += 1) {
    const header = { 'If-Match': loadedItem(item).etag, 'Idempotency-Key': key };
    const params = { path: { id: item.id }, header };
    const sent = { params, body: changes, ...requestOptions(options) };
    const answer = await client.PUT('/api/v1/api/v1/items/{id}', sent);
    if (answer.error === undefined || !('data' in answer.error)) return answer;
    const current = answer.error.data;
    const names = conflictsIn(item, current, changes);
    if (merges === maxMerges || names.length > 0) return { ...answer, conflict: { ...loadedItem(current), names } };
    item = current;
  }
}

/** What somebody else has changed that the user has, to anything but what the user wants. */
function conflictsIn(loaded: Item, current: Item, changes: Changes): string[] {
  const differing = (was: Values, now: Values, wanted: Values) =>
    Object.keys(wanted).filter((key) => ![text(was[key]), text(wanted[key])].includes(text(now[key])));
  return [
    ...differing(asValues(loaded, loaded), asValues(current, current), asValues(changes, loaded)),
    ...differing(loaded.metadata, current.metadata, changes.metadata ?? {}).map((key) => `metadata.${key}`),
  ];
}

type Values = Readonly<Record<string, unknown>>;

/** What is compared. A quantity means nothing without its unit, so both are one value. */
function asValues({ qty, unit, metadata: _, ...fields }: Changes, { qty: loadedQty, unit: loadedUnit }: Item): Values {
  if (qty === undefined && unit === undefined) return fields;
  return { ...fields, qty: [qty ?? loadedQty, unit ?? loadedUnit] };
}

/** A missing metadata key is as good as null, which removes it. */
const text = (value: unknown) => JSON.stringify(value ?? null);
