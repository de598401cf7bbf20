/** Stores that are wrong in what they send, or in how they read an answer. */
import { randomUUID } from 'node:crypto';
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changing, changingParts, isFence, isUnknown, sending, without } from './sending.ts';

/** The SDK's own way: whatever failed is sent again as it was. */
export const blindRepetition = sending((send) => async (command, ...rest) => {
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
export const newTokens = changing((command) => {
  if (!(command instanceof TransactWriteCommand)) return command;
  const text = JSON.stringify(command.input.TransactItems).replace(/"stamp-[^"]*"/g, `"${randomUUID()}"`);
  return new TransactWriteCommand({ TransactItems: JSON.parse(text), ClientRequestToken: randomUUID() });
});

export const noUnitCondition = changing((command) =>
  command instanceof UpdateCommand ? new UpdateCommand(without(command.input, 'unit')) : command,
);

export const guardWithoutOwner = changingParts((part) =>
  part.Delete ? { Delete: { TableName: part.Delete.TableName, Key: part.Delete.Key } } : part,
);

export const noRevision = changingParts((part) => (part.Update ? { Update: without(part.Update, 'revision') } : part));

/** Takes the last write for older than any write that may still be under way, on whichever clock it was timed. */
export const noMargin = sending((send) => async (command, ...rest) => {
  const output = (await send(command, ...rest)) as { Attributes?: Record<string, unknown> };
  if (isFence(command) && output.Attributes !== undefined) output.Attributes['written_at'] = 0;
  return output;
});

/** Does not look whose write it was that an update under a revision met. */
export const anybodysWrite = sending((send) => async (command, ...rest) => {
  try {
    return await send(command, ...rest);
  } catch (error) {
    const { Item } = error as { Item?: Record<string, unknown> };
    if (Item !== undefined) Item['written_stamp'] = { S: 'of another' };
    throw error;
  }
});

/** Reads the item after a lost answer, and leaves it open to the message that is still under way. */
export const lookUpWithoutFence = sending((send) => async (command, ...rest) => {
  if (!isFence(command)) return send(command, ...rest);
  const { TableName, Key } = command.input;
  const { Item } = (await send(new GetCommand({ TableName, Key, ConsistentRead: true }), ...rest)) as { Item?: object };
  return { Attributes: Item };
});

/** Forgets that an earlier sending of a transaction was not answered, and takes a refusal for the last word. */
export const believedRefusal = sending((send) => async (command, ...rest) => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send(command, ...rest);
    } catch (error) {
      if (!(command instanceof TransactWriteCommand && isUnknown(error) && tries < 3)) throw error;
    }
  }
});

/** Believes that a code is taken although another part of the transaction met a conflict. */
export const takenFirst = sending((send) => async (command, ...rest) => {
  try {
    return await send(command, ...rest);
  } catch (error) {
    const reasons = (error as { CancellationReasons?: { Code: string }[] }).CancellationReasons;
    if (reasons?.some(({ Code }) => Code === 'ConditionalCheckFailed'))
      for (const reason of reasons) if (reason.Code === 'TransactionConflict') reason.Code = 'None';
    throw error;
  }
});
