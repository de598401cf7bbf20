import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { EpochMs } from '../../item/epoch.ts';
import type { Json } from '../../item/json.ts';
import { listedName } from '../../item/listedName.ts';
import { equals, exists, expressions, has, isBelow, type Placeholders, setText } from '../database/expressions.ts';
import { type KeyedUpdate, keyedUpdateText } from '../records/idempotencyRecord.ts';
import { keyedAttributes, lastWrite } from '../records/itemRecord.ts';
import { keys, listKey } from '../records/keys.ts';
import type { ItemWrite } from './plannedWrite.ts';

/** One conditional write to an item in DynamoDB's terms, as a single update or as part of a transaction. */
export function itemUpdateInput(context: RequestContext, sentAt: EpochMs, id: number, write: ItemWrite) {
  const { fields } = write;
  // If the name is unchanged, this writes the same values, which costs nothing in the index.
  const listed = fields.name === undefined ? {} : listKey(context.account, id, listedName(fields.name));
  return {
    Key: keys.item(context.account, id),
    ...expressions((use) => ({
      UpdateExpression: updateText(use, { ...fields, ...listed, ...lastWrite(context, sentAt) }, write),
      ConditionExpression: conditionText(use, write, sentAt),
    })),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** Metadata keys are set and removed one by one, so that concurrent merges do not overwrite each other. */
function updateText(
  use: Placeholders,
  attributes: { readonly [name: string]: Json },
  { metadata, keyed, isUnchanged }: ItemWrite,
): string {
  const remembered = keyed === undefined ? [] : rememberUpdate(use, keyed.update);
  if (isUnchanged) return setText(use, {}, { set: remembered });
  const revision = use.name('revision');
  const inMetadata = (key: string) => `${use.name('metadata')}.${use.name(key)}`;
  const merged = Object.entries(metadata.set).map(([key, value]) => `${inMetadata(key)} = ${use.value(value)}`);
  return setText(use, attributes, {
    set: [`${revision} = ${revision} + ${use.value(1)}`, ...merged, ...remembered],
    remove: metadata.remove.map(inMetadata),
  });
}

/** Puts a keyed update first, and moves the earlier ones on. DynamoDB reads all of them before it writes any. */
function rememberUpdate(use: Placeholders, update: KeyedUpdate): string[] {
  const [newest, ...older] = keyedAttributes.map((name) => use.name(name));
  const none = use.value('');
  const moved = older.map(
    (name, index) => `${name} = if_not_exists(${use.name(keyedAttributes[index] ?? '')}, ${none})`,
  );
  return [`${newest} = ${use.value(keyedUpdateText(update))}`, ...moved];
}

/** DynamoDB's limit for IN. Truncating a list is safe: the condition only fails more often than necessary. */
const maxOperands = 100;

function conditionText(use: Placeholders, { expected, keyed }: ItemWrite, sentAt: EpochMs): string {
  const isOneOf = (name: string, values: readonly Json[]) =>
    `${use.name(name)} IN (${values.slice(0, maxOperands).map((value) => use.value(value))})`;
  const all = [exists(use), isOpenAt(use, sentAt), isInOrder(use, sentAt)];
  for (const [name, text] of Object.entries(expected.identifiers ?? {})) all.push(has(use, name, text));
  if (expected.category !== undefined) all.push(equals(use, 'category', expected.category));
  if (expected.units !== undefined) all.push(isOneOf('unit', expected.units));
  if (expected.revisions !== undefined) all.push(isOneOf('revision', expected.revisions));
  if (expected.metadataKeys !== undefined)
    all.push(`size(${use.name('metadata')}) <= ${use.value(expected.metadataKeys)}`);
  for (const key of expected.metadataHas ?? []) all.push(`attribute_exists(${use.name('metadata')}.${use.name(key)})`);
  if (keyed?.isNew) {
    const key = use.value(keyed.update.key);
    all.push(...keyedAttributes.map((name) => `NOT begins_with(${use.name(name)}, ${key})`));
  }
  return all.join(' AND ');
}

/**
 * Requires that the item's last write was not sent later than this one, beyond the clocks' difference. So a request that
 * was abandoned long ago never lands on a newer write, nor on one that a version without `sent_at` has overwritten.
 */
const isInOrder = (use: Placeholders, sentAt: EpochMs): string => {
  const latest = sentAt + timeouts.clockSkew;
  return `${use.name('written_at')} <= ${use.value(latest)} AND ${isBelow(use, 'sent_at', latest + 1)}`;
};

/** Requires that no fence blocks a write sent at that time (docs/design.md#lost-responses). */
const isOpenAt = (use: Placeholders, sentAt: EpochMs): string => isBelow(use, 'closed_until', sentAt);

/** Closes an item to every write sent at or before a time, and changes nothing else. Refused if it is closed already. */
export const fenceInput = ({ account }: RequestContext, id: number, sentAt: EpochMs) => ({
  Key: keys.item(account, id),
  ...expressions((use) => ({
    ConditionExpression: `${exists(use)} AND ${isOpenAt(use, sentAt)}`,
    UpdateExpression: setText(use, { closed_until: sentAt }),
  })),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});
