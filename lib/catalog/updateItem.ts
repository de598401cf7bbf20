import { CatalogError } from '../item/errors.ts';
import type { JsonObject } from '../item/json.ts';
import { itemChange, parseBody, unknownReferences } from '../item/readBody.ts';
import type { IdempotencyKey, ItemUpdater, Modification, ModifiedItem } from './catalogStore.ts';
import { loadAccount, loadCategoryName, type NamedItem } from './loadAccount.ts';

export interface UpdateRequest extends Pick<Modification, 'id' | 'revisions' | 'match' | 'skipsUnchanged'> {
  readonly body: JsonObject;
  /** Idempotency key. If undefined, every request writes. */
  readonly key?: string | undefined;
}

/** The item is at none of the revisions, or not the one to match. Has the current item, so that callers can merge. */
export class PreconditionFailed extends CatalogError {
  readonly current: NamedItem;

  constructor(current: NamedItem) {
    super('PRECONDITION_FAILED', { subject: { by: current.item.updatedBy } });
    this.current = current;
  }
}

/**
 * Updates an item partially (spec 4.2), at most once per key.
 * @throws CatalogError `NOTHING_TO_UPDATE`, `VALIDATION_FAILED`, `FORBIDDEN` if there is no such account, and as
 * `ItemUpdater.modifyItem`; PreconditionFailed if it returns an outdated item
 */
export async function updateItem(
  store: ItemUpdater,
  { body, key: text, ...target }: UpdateRequest,
): Promise<NamedItem & Omit<ModifiedItem, 'isOutdated'>> {
  const parsed = parseBody(body);
  const { account, unknown } = await loadAccount(store, parsed, unknownReferences);
  const change = itemChange(parsed, unknown, account);
  const key: IdempotencyKey | undefined = text === undefined ? undefined : { key: text, sent: parsed.sent };
  const { isOutdated, ...modified } = await store.modifyItem({ ...target, change, key, account });
  const named = { ...modified, categoryName: await loadCategoryName(store, account, modified.item) };
  if (isOutdated) throw new PreconditionFailed(named);
  return named;
}
