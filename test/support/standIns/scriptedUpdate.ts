import type { IdempotencyKey } from '../../../lib/catalog/catalogStore.ts';
import type { CatalogError } from '../../../lib/item/errors.ts';
import type { IdentifierName, ItemFields } from '../../../lib/item/fields.ts';
import type { Item, ItemChange } from '../../../lib/item/item.ts';
import { AccountCache } from '../../../lib/store/catalog/accountCache.ts';
import { modifyItem } from '../../../lib/store/catalog/modifyItem.ts';
import { newItemRecord } from '../../../lib/store/records/itemRecord.ts';
import { itemFields, testCall } from '../table/testTable.ts';
import { resolved } from './resolved.ts';
import { beginning, configuration, type Reply, type Sent, scripted } from './scripted.ts';
import { sdkError } from './sdkError.ts';

export const call = { ...testCall('acme'), deadline: beginning + 8_000 };
const other = { ...call, writeId: 'of another' };

/** The stored item, written by another request long ago unless given otherwise. */
export function stored(parts: Partial<Item> = {}, { by = other, at = 0 } = {}) {
  const item = { ...itemFields({ sku: 'S', pn: 'P' }), id: 7, revision: 3, createdAt: 0, ...parts };
  return { ...newItemRecord(by, item), written_at: at, sent_at: at };
}

export const lost = sdkError('TimeoutError', undefined);
export const refused = (Item: object | undefined) =>
  sdkError('ConditionalCheckFailedException', 400, Item === undefined ? {} : { Item });
export const done = (Attributes: object) => ({ Attributes });
/** A transaction whose parts at these positions failed. A failed update returns the item, a guard its owner. */
export const cancelled = (length: number, failed: readonly number[], Item: object = stored()) =>
  sdkError('TransactionCanceledException', 400, {
    CancellationReasons: Array.from({ length }, (_, place) =>
      failed.includes(place)
        ? { Code: 'ConditionalCheckFailed', Item: place === 0 ? Item : { item_id: 20 + place } }
        : { Code: 'None' },
    ),
  });

export interface Update {
  readonly fields?: Partial<ItemFields>;
  readonly unroundedQty?: number;
  readonly set?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
  readonly revisions?: readonly number[];
  readonly match?: IdentifierName;
  readonly key?: IdempotencyKey;
}

/** A container. Its first request, the query for the account, is answered before the replies. */
export async function container(replies: readonly Reply[]) {
  const { database, sent, waits } = scripted([configuration('acme'), ...replies]);
  const accounts = new AccountCache();
  await accounts.get(database.for(call));
  return { database, accounts, sent, waits };
}

export async function updateIn(
  { database, accounts }: Awaited<ReturnType<typeof container>>,
  { fields = {}, unroundedQty, set = {}, remove = [], revisions, match, key }: Update,
) {
  const change: ItemChange = {
    fields,
    metadata: { set, remove },
    ...(unroundedQty !== undefined && { unroundedQty }),
  };
  const account = await accounts.get(database.for(call));
  const updated = modifyItem(database.for(call), accounts, { id: 7, change, revisions, match, account, key });
  return updated.then(
    ({ item: { revision, qty }, isOutdated }) => (isOutdated ? { outdatedAt: revision } : { revision, qty }),
    ({ code, name, cause, fields }: Partial<CatalogError> & { name: string; cause?: Error }) => ({
      code: code ?? name,
      cause: cause?.name,
      ...(fields && { taken: fields.map(({ field, item }) => [field, item]) }),
    }),
  );
}

/** Sends an update to a new container. */
export async function update(requested: Update, replies: readonly Reply[]) {
  const opened = await container(replies);
  const outcome = await updateIn(opened, requested);
  return { outcome, sent: opened.sent.slice(1), waits: opened.waits };
}

/** An update, alone or in a transaction, with its placeholders replaced. */
export const writeOf = ({ input }: Sent) => resolved(input.TransactItems?.[0].Update ?? input);

export function conditionOf(sent: Sent): string {
  const { ConditionExpression: condition } = writeOf(sent);
  // Every write requires that no fence closes the item and no write is newer. Tests of that assert it separately.
  return condition
    .replace(/ AND \(attribute_not_exists\(closed_until\) OR closed_until < \d+\)/, '')
    .replace(/ AND written_at <= \d+ AND \(attribute_not_exists\(sent_at\) OR sent_at < \d+\)/, '');
}

export const guardsOf = ({ input }: Sent): string[] =>
  input.TransactItems.slice(1).map(
    ({ Put, Delete }: { Put?: { Item: { pk: string } }; Delete?: { Key: { pk: string } } }) =>
      Put === undefined ? `free ${Delete?.Key.pk}` : `take ${Put.Item.pk}`,
  );

export const unavailable = (cause: string) => ({ code: 'SERVICE_UNAVAILABLE', cause });
