import type { RequestContext } from '../../catalog/requestContext.ts';
import type { ItemChange } from '../../item/item.ts';
import type { Json } from '../../item/json.ts';
import { listedName } from '../../item/listedName.ts';
import type { Identifiers } from '../records/guardRecord.ts';
import { lastWrite } from '../records/itemRecord.ts';
import { keyAttributes, keys, listKey } from '../records/keys.ts';

/** The state that the stored item must be in for a write to succeed. Omitted members allow anything. */
interface ExpectedState {
  readonly identifiers?: Partial<Identifiers>;
  readonly category?: number | undefined;
  readonly units?: readonly string[] | undefined;
  readonly revisions?: readonly number[] | undefined;
  /** Maximum number of metadata keys. */
  readonly metadataKeys?: number | undefined;
}

/**
 * DynamoDB allows at most 100 operands of IN. Truncating the list is safe: the condition only fails more often than
 * necessary.
 */
const maxOperands = 100;

/**
 * Replaces names and values with generated placeholders, so that no input of a caller ever becomes part of an
 * expression's text.
 */
class Placeholders {
  readonly #names = new Map<string, string>();
  readonly values: Record<string, Json> = {};

  get names(): Record<string, string> {
    return Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name]));
  }

  name(name: string): string {
    const placeholder = this.#names.get(name) ?? `#${this.#names.size}`;
    this.#names.set(name, placeholder);
    return placeholder;
  }

  value(value: Json): string {
    const placeholder = `:${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    return placeholder;
  }
}

function conditionText(use: Placeholders, expected: ExpectedState, sentAt: number): string {
  const isOneOf = (name: string, values: readonly Json[]) =>
    `${use.name(name)} IN (${values.slice(0, maxOperands).map((value) => use.value(value))})`;
  const all = [`attribute_exists(${use.name(keyAttributes.partition)})`, allowsWriteAt(use, sentAt)];
  for (const [name, text] of Object.entries(expected.identifiers ?? {}))
    all.push(text === null ? `attribute_not_exists(${use.name(name)})` : `${use.name(name)} = ${use.value(text)}`);
  if (expected.category !== undefined) all.push(`${use.name('category')} = ${use.value(expected.category)}`);
  if (expected.units !== undefined) all.push(isOneOf('unit', expected.units));
  if (expected.revisions !== undefined) all.push(isOneOf('revision', expected.revisions));
  if (expected.metadataKeys !== undefined)
    all.push(`size(${use.name('metadata')}) <= ${use.value(expected.metadataKeys)}`);
  return all.join(' AND ');
}

/** Requires that no fence blocks a write sent at that time (see `fenceItem`). */
function allowsWriteAt(use: Placeholders, sentAt: number): string {
  const closedUntil = use.name('closed_until');
  return `(attribute_not_exists(${closedUntil}) OR ${closedUntil} < ${use.value(sentAt)})`;
}

/**
 * Null removes an attribute. Metadata keys are set and removed one by one, so that concurrent merges do not overwrite
 * each other.
 */
function updateText(
  use: Placeholders,
  attributes: { readonly [name: string]: Json },
  metadata: ItemChange['metadata'],
) {
  const revision = use.name('revision');
  const set = [`${revision} = ${revision} + ${use.value(1)}`];
  const remove: string[] = [];
  for (const [name, value] of Object.entries(attributes))
    if (value === null) remove.push(use.name(name));
    else set.push(`${use.name(name)} = ${use.value(value)}`);
  for (const [key, value] of Object.entries(metadata.set))
    set.push(`${use.name('metadata')}.${use.name(key)} = ${use.value(value)}`);
  for (const key of metadata.remove) remove.push(`${use.name('metadata')}.${use.name(key)}`);
  return `SET ${set.join(', ')}${remove.length > 0 ? ` REMOVE ${remove.join(', ')}` : ''}`;
}

/** One write to an item, and the state that it requires. */
export interface ItemWrite {
  /** In stored form. Null removes the field. */
  readonly fields: ItemChange['fields'];
  readonly metadata: ItemChange['metadata'];
  readonly expected: ExpectedState;
}

/**
 * One conditional write to an item, as a single update or as part of a transaction.
 * @param sentAt the time of sending, in milliseconds since 1970
 */
export function itemUpdateInput(
  context: RequestContext,
  sentAt: number,
  id: number,
  { fields, metadata, expected }: ItemWrite,
) {
  const use = new Placeholders();
  // If the name is unchanged, this writes the same values, which costs nothing in the index.
  const listed = fields.name === undefined ? {} : listKey(context.account, id, listedName(fields.name));
  return {
    Key: keys.item(context.account, id),
    UpdateExpression: updateText(use, { ...fields, ...listed, ...lastWrite(context, sentAt) }, metadata),
    ConditionExpression: conditionText(use, expected, sentAt),
    ExpressionAttributeNames: use.names,
    ExpressionAttributeValues: use.values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/**
 * An update that closes an item to every write sent at or before a given time. It changes nothing else, not even the
 * revision. If the item is already closed, the failed condition returns it.
 * @param sentAt in milliseconds since 1970
 */
export function fenceInput({ account }: RequestContext, id: number, sentAt: number) {
  const use = new Placeholders();
  return {
    Key: keys.item(account, id),
    ConditionExpression: `attribute_exists(${use.name(keyAttributes.partition)}) AND ${allowsWriteAt(use, sentAt)}`,
    UpdateExpression: `SET ${use.name('closed_until')} = ${use.value(sentAt)}`,
    ExpressionAttributeNames: use.names,
    ExpressionAttributeValues: use.values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}
