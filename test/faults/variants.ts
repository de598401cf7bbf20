import { randomUUID } from 'node:crypto';
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { CatalogStore } from '../../lib/catalog/catalogStore.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import type { ItemChange } from '../../lib/item/item.ts';
import { tooMuchMetadata } from '../../lib/item/item.ts';
import { limits } from '../../lib/item/limits.ts';
import { mergeMetadata } from '../../lib/item/metadata.ts';
import { itemUpdateInput } from '../../lib/store/catalog/updateExpression.ts';
import type { TransactItem } from '../../lib/store/database/database.ts';
import { putIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import type { Client } from './faultyClient.ts';
import type { Variant } from './history.ts';

type Command = { readonly input: unknown };
type Send = (command: Command, ...rest: unknown[]) => Promise<unknown>;

/** A store whose client sends otherwise. */
const sending = (change: (send: Send) => Send): Variant => ({
  // The SDK types a command's answer by the command, which a wrapper around all of them cannot.
  client: ({ send }) => ({ send: change(send as unknown as Send) as Client['send'] }),
});

/** A store whose client does something else with a command before it is sent. */
const changing = (change: (command: Command) => Command): Variant =>
  sending(
    (send) =>
      (command, ...rest) =>
        send(change(command), ...rest),
  );

const isUnknown = (error: unknown): boolean => /Timeout|InternalServer|socket/.test(`${error}`);

/** A transaction with other parts; the same token, as it is the same request. */
const changingParts = (change: (part: TransactItem) => TransactItem | undefined): Variant =>
  changing((command) => {
    if (!(command instanceof TransactWriteCommand)) return command;
    const parts = (command.input.TransactItems ?? []).flatMap((part) => change(part) ?? []);
    return new TransactWriteCommand({ ...command.input, TransactItems: parts });
  });

/** Takes a comparison out of a condition, with the values that nothing else mentions. */
function without<
  Input extends Pick<
    UpdateCommandInput,
    'ConditionExpression' | 'UpdateExpression' | 'ExpressionAttributeValues' | 'ExpressionAttributeNames'
  >,
>(input: Input, attribute: string): Input {
  const names = Object.entries(input.ExpressionAttributeNames ?? {});
  const placeholder = names.find(([, name]) => name === attribute)?.[0];
  if (placeholder === undefined || input.ConditionExpression === undefined) return input;
  const terms = input.ConditionExpression.split(' AND ').filter((term) => !term.startsWith(`${placeholder} `));
  const text = `${input.UpdateExpression} ${terms.join(' AND ')} `;
  const isMentioned = ([name]: [string, unknown]) => new RegExp(`${name}\\b`).test(text);
  return {
    ...input,
    ConditionExpression: terms.join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.filter(isMentioned)),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries(input.ExpressionAttributeValues ?? {}).filter(isMentioned),
    ),
  };
}

/** The SDK's own way: whatever failed is sent again as it was. */
const blindRepetition = sending((send) => async (command, ...rest) => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send(command, ...rest);
    } catch (error) {
      if (!(command instanceof UpdateCommand && isUnknown(error) && tries < 3)) throw error;
    }
  }
});

/**
 * Each try is another request to DynamoDB, and signed as another's: the stamp alone would still tell the store that what
 * it meets is its own work.
 */
const newTokens = changing((command) => {
  if (!(command instanceof TransactWriteCommand)) return command;
  const text = JSON.stringify(command.input.TransactItems).replace(/"stamp-[^"]*"/g, `"${randomUUID()}"`);
  return new TransactWriteCommand({ TransactItems: JSON.parse(text), ClientRequestToken: randomUUID() });
});

const noRecord: Variant = {
  catalog: (catalog) => ({ ...catalog, insertItem: (call, fields) => catalog.insertItem(call, fields) }),
};

/** Looks for the key first and keeps it last, each in a message of its own. */
const recordAfterwards: Variant = {
  catalog: (catalog, database): CatalogStore => ({
    ...catalog,
    insertItem: async (call, fields, key) => {
      const earlier = key && (await catalog.findCreated(call, key));
      if (earlier !== undefined) return { item: earlier, replayed: true };
      const created = await catalog.insertItem(call, fields);
      if (key === undefined) return created;
      const { Put } = putIdempotencyRecord(database.table, call, key, created.item, database.clock.now());
      // Another was faster to keep the key; this item is there all the same.
      await database.put(call, Put).catch(() => undefined);
      return created;
    },
  }),
};

/** Reads the metadata, merges them here, and writes them back as a whole. */
const metadataReadModifyWrite: Variant = {
  catalog: (catalog, database): CatalogStore => ({
    ...catalog,
    modifyItem: async (call, modification) => {
      const { id, change, revisions } = modification;
      const isMerge = Object.keys(change.metadata.set).length + change.metadata.remove.length > 0;
      const { sku, pn } = change.fields;
      const isPlain = [sku, pn, change.unroundedQty, revisions].every((assumption) => assumption === undefined);
      if (!isMerge || !isPlain) return catalog.modifyItem(call, modification);
      const record = await database.get(call, keys.item(call.account, id));
      const metadata = mergeMetadata(readItem(record ?? {}).item.metadata, change.metadata);
      if (Object.keys(metadata).length > limits.metadata.keysStored) throw tooMuchMetadata();
      const write = itemUpdateInput(call, database.clock.now(), id, {
        fields: { ...change.fields, metadata } as ItemChange['fields'],
        metadata: { set: {}, remove: [] },
        expected: {},
      });
      const stored = await database.update(call, write, { idempotent: false }).catch((cause) => {
        throw new CatalogError('SERVICE_UNAVAILABLE', { cause });
      });
      return { item: readItem(stored).item, isOutdated: false };
    },
  }),
};

const noUnitCondition = changing((command) =>
  command instanceof UpdateCommand ? new UpdateCommand(without(command.input, 'unit')) : command,
);

const guardWithoutOwner = changingParts((part) =>
  part.Delete ? { Delete: { TableName: part.Delete.TableName, Key: part.Delete.Key } } : part,
);

const noRevision = changingParts((part) => (part.Update ? { Update: without(part.Update, 'revision') } : part));

/** Takes the last write for older than any write that may still be under way, on whichever clock it was timed. */
const noMargin = sending((send) => async (command, ...rest) => {
  const isFence = command instanceof UpdateCommand && command.input.UpdateExpression?.startsWith('SET #1 = ');
  const output = (await send(command, ...rest)) as { Attributes?: Record<string, unknown> };
  if (isFence && output.Attributes !== undefined) output.Attributes['written_at'] = 0;
  return output;
});

/** Does not look whose write it was that an update under a revision met. */
const anybodysWrite = sending((send) => async (command, ...rest) => {
  try {
    return await send(command, ...rest);
  } catch (error) {
    const { Item } = error as { Item?: Record<string, unknown> };
    if (Item !== undefined) Item['written_stamp'] = { S: 'of another' };
    throw error;
  }
});

/** Stores that are wrong in one way each. The checker must object to every one of them. */
export const variants: Readonly<Record<string, Variant>> = {
  'a plain update is repeated blindly': blindRepetition,
  'each try of a transaction has a new token and stamp': newTokens,
  'no idempotency record': noRecord,
  'the idempotency record is written after the effect': recordAfterwards,
  'metadata by read, modify, write': metadataReadModifyWrite,
  'a quantity without the condition on the unit': noUnitCondition,
  'a guard is deleted whoever owns it': guardWithoutOwner,
  'codes change whatever the revision': noRevision,
  'an unknown outcome is judged without a margin for clocks': noMargin,
  'an update under a revision is repeated whoever wrote last': anybodysWrite,
};
