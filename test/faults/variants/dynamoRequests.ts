/** Stores that send DynamoDB wrong requests, or misread its responses. */
import {
  GetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { DocumentSender } from '../../../lib/store/database/database.ts';
import type { Variant } from '../process.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

type Command = { readonly input: unknown };
type Send = (command: Command, ...rest: unknown[]) => Promise<unknown>;

/** A store whose client sends differently. */
const sending = (change: (send: Send) => Send): Variant => ({
  // The SDK types a command's response by the command, which a wrapper around all of them cannot.
  client: ({ send }) => ({ send: change(send as unknown as Send) as DocumentSender['send'] }),
});

/** A store whose client changes each command before it is sent. */
const changing = (change: (command: Command) => Command): Variant =>
  sending(
    (send) =>
      (command, ...rest) =>
        send(change(command), ...rest),
  );

const isUnknown = (error: unknown): boolean => /Timeout|Abort|InternalServer|socket/.test(`${error}`);

/** The transaction with other parts, and the same token because it is the same request. */
const changingParts = (change: (part: TransactItem) => TransactItem | undefined): Variant =>
  changing((command) => {
    if (!(command instanceof TransactWriteCommand)) return command;
    const parts = (command.input.TransactItems ?? []).flatMap((part) => change(part) ?? []);
    return new TransactWriteCommand({ ...command.input, TransactItems: parts });
  });

/** Removes a comparison from a condition, with the values that nothing else uses. */
function without<
  Input extends Pick<
    UpdateCommandInput,
    'ConditionExpression' | 'UpdateExpression' | 'ExpressionAttributeValues' | 'ExpressionAttributeNames'
  >,
>(input: Input, attribute: string): Input {
  const names = Object.entries(input.ExpressionAttributeNames ?? {});
  const placeholder = names.find(([, name]) => name === attribute)?.[0];
  if (placeholder === undefined || input.ConditionExpression === undefined) return input;
  const terms = input.ConditionExpression.split(' AND ').filter((term) => !new RegExp(`${placeholder}\\b`).test(term));
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

/** Whether a command closes an item to a write whose response was lost. */
const isFence = (command: Command): command is UpdateCommand =>
  command instanceof UpdateCommand && !/\+|ADD/.test(command.input.UpdateExpression ?? '');

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
