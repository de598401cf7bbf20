import { customName } from '../../lib/item/customName.ts';
import type { Client, Item, Refusal, RequestOptions, Schemas } from '../http/catalogClient.ts';
import { RequestError, requestOptions, unwrap } from '../http/catalogClient.ts';
import type { OthersChange } from '../http/messages.ts';
import { ifMatch } from './readItems.ts';

type Changes = Schemas['ItemChanges'];

/**
 * Thrown by `saveItem`: others have changed the same, or save again and again. Nothing is saved.
 * @example if (error instanceof ConflictError) ask(error.names, error.item);
 */
export class ConflictError extends RequestError {
  override readonly name = 'ConflictError';
  /** The item as it is now, to go on with. */
  declare readonly item: Item;
  /** What both have changed, such as `value`, `metadata.color`, or `qty` for a quantity and its unit. */
  declare readonly names: readonly string[];
  /** What others have changed besides. */
  declare readonly others: readonly OthersChange[];

  constructor(response: Response, refusal: Refusal, conflict: Pick<ConflictError, 'item' | 'names' | 'others'>) {
    super(response, refusal);
    Object.assign(this, conflict);
  }
}

/** What a user has changed in an item, as it was when they began. */
export interface Edit {
  readonly item: Item;
  readonly changes: Changes;
  /** A {@link newKey} for these changes. To try again, send the same one: nothing is written twice. */
  readonly key: string;
}

export interface Saved {
  readonly item: Item;
  /** What others have changed since the item was loaded. */
  readonly others: readonly OthersChange[];
}

/** How often changes are merged with those of others. */
const maxMerges = 5;

/**
 * Saves only what the user has changed. If somebody else has changed other fields or other metadata keys of the item in
 * the meantime, both changes are kept, and `others` has theirs.
 * @throws ConflictError if they changed the same, so that the user can decide; RequestError otherwise
 * @example const saved = await saveItem(client, { item, changes: { value: 479.9 }, key: newKey() });
 */
export async function saveItem(client: Client, edit: Edit, options: RequestOptions = {}): Promise<Saved> {
  const { changes, key } = edit;
  let { item } = edit;
  let others: readonly OthersChange[] = [];
  for (let merges = 0; ; merges += 1) {
    const wanted = valuesOf(changes, item);
    const header = { 'If-Match': ifMatch(item), 'Idempotency-Key': key };
    const sent = { params: { path: { id: item.id }, header }, body: changes, ...requestOptions(options) };
    const answer = await client.PUT('/api/v1/api/v1/items/{id}', sent);
    if (answer.error === undefined || !('data' in answer.error)) {
      const saved = unwrap(answer).data;
      // Of an answer that was lost before, the item can have been changed since.
      if (saved.revision > item.revision + 1) others = addedChanges(others, { ...valuesOf(item), ...wanted }, saved);
      return { item: saved, others };
    }
    const names = conflictsIn(item, answer.error.data, wanted);
    others = addedChanges(others, valuesOf(item), answer.error.data).filter(({ name }) => !(name in wanted));
    item = answer.error.data;
    if (merges === maxMerges || names.length > 0)
      throw new ConflictError(answer.response, answer.error, { item, names, others });
  }
}

/** What somebody else has changed that the user has, to anything but what the user wants. */
function conflictsIn(loaded: Item, current: Item, wanted: Values): string[] {
  const [was, now] = [valuesOf(loaded), valuesOf(current)];
  return Object.keys(wanted).filter((name) => ![text(was[name]), text(wanted[name])].includes(text(now[name])));
}

function addedChanges(known: readonly OthersChange[], was: Values, now: Item): OthersChange[] {
  const is = valuesOf(now);
  const names = Object.keys({ ...was, ...is }).filter((name) => text(was[name]) !== text(is[name]));
  const changed = names.map((name) => ({ name, from: was[name] ?? null, to: is[name] ?? null, by: now.updated_by }));
  return [...known.filter(({ name }) => !names.includes(name)), ...changed];
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The compared values by their names. A quantity means nothing without its unit, so both are one value.
 * @param loaded has what the changes leave as it is
 */
function valuesOf({ metadata, ...changed }: Changes, loaded?: Item): Values {
  const { id, category_name, revision, create_date, updated_at, updated_by, qty, unit, ...fields } = changed as Item;
  const keys = Object.entries(metadata ?? {}).map(([key, value]) => [customName(key), value]);
  if (qty === undefined && unit === undefined) return { ...fields, ...Object.fromEntries(keys) };
  return { ...fields, qty: [qty ?? loaded?.qty, unit ?? loaded?.unit], ...Object.fromEntries(keys) };
}

/** A missing metadata key is as good as null, which removes it. */
const text = (value: unknown) => JSON.stringify(value ?? null);
