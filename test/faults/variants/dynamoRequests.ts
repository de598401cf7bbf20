/** Stores that send DynamoDB wrong requests, or misread its responses. */
import { GetCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { changing, changingParts, isFence, isUnknown, sending, without } from './sending.ts';

/** Sends what got no response again unchanged. */
const repeating = (kind: typeof UpdateCommand | typeof TransactWriteCommand) =>
  sending((send) => async (command, ...rest) => {
    for (let tries = 0; ; tries += 1) {
      try {
        return await send(command, ...rest);
      } catch (error) {
        if (!(command instanceof kind && isUnknown(error) && tries < 3)) throw error;
      }
    }
  });

/** Like the SDK, also of an update that may have been done. */
export const blindRepetition = repeating(UpdateCommand);

/** Forgets that an earlier attempt at a transaction got no response, and treats a refusal as final. */
export const believedRefusal = repeating(TransactWriteCommand);

export const noUnitCondition = changing((command) =>
  command instanceof UpdateCommand ? new UpdateCommand(without(command.input, 'unit')) : command,
);

/** Lets an update land that was sent long before the item's last write. */
export const noOrder = changing((command) =>
  command instanceof UpdateCommand
    ? new UpdateCommand(without(without(command.input, 'written_at'), 'sent_at'))
    : command,
);

/** A version before `sent_at`, which neither writes nor requires nor reads it. */
export const oldWriter = sending((send) => async (command, ...rest) => {
  const output = (await send(command instanceof UpdateCommand ? withoutSentAt(command) : command, ...rest)) as {
    Attributes?: Record<string, unknown>;
  };
  delete output.Attributes?.['sent_at'];
  return output;
});

function withoutSentAt({ input }: UpdateCommand): UpdateCommand {
  const [placeholder] =
    Object.entries(input.ExpressionAttributeNames ?? {}).find(([, name]) => name === 'sent_at') ?? [];
  const UpdateExpression = input.UpdateExpression?.replace(new RegExp(`, ${placeholder} = :\\d+`), '');
  return new UpdateCommand(['sent_at', 'written_at'].reduce(without, { ...input, UpdateExpression }));
}

export const noRevision = changingParts((part) =>
  part.Update ? { Update: ['revision', 'sku', 'pn'].reduce(without, part.Update) } : part,
);

/** Reads the item after a lost response, but leaves it open to the request that is still in flight. */
export const lookUpWithoutFence = sending((send) => async (command, ...rest) => {
  if (!isFence(command)) return send(command, ...rest);
  const { TableName, Key } = command.input;
  const { Item } = (await send(new GetCommand({ TableName, Key, ConsistentRead: true }), ...rest)) as { Item?: object };
  return { Attributes: Item };
});

/** Reports a taken identifier even if another part of the transaction conflicted. */
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
