import {
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { DocumentSender } from '../../../lib/store/database/database.ts';
import type { Variant } from '../process.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export type Command = { readonly input: unknown };
type Send = (command: Command, ...rest: unknown[]) => Promise<unknown>;

/** A store whose client sends differently. */
export const sending = (change: (send: Send) => Send): Variant => ({
  // The SDK types a command's response by the command, which a wrapper around all of them cannot.
  client: ({ send }) => ({ send: change(send as unknown as Send) as DocumentSender['send'] }),
});

/** A store whose client changes each command before it is sent. */
export const changing = (change: (command: Command) => Command): Variant =>
  sending(
    (send) =>
      (command, ...rest) =>
        send(change(command), ...rest),
  );

export const isUnknown = (error: unknown): boolean => /Timeout|Abort|InternalServer|socket/.test(`${error}`);

/** The transaction with other parts, and the same token because it is the same request. */
export const changingParts = (change: (part: TransactItem) => TransactItem | undefined): Variant =>
  changing((command) => {
    if (!(command instanceof TransactWriteCommand)) return command;
    const parts = (command.input.TransactItems ?? []).flatMap((part) => change(part) ?? []);
    return new TransactWriteCommand({ ...command.input, TransactItems: parts });
  });

/** Removes a comparison from a condition, with the values that nothing else uses. */
export function without<
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
export const isFence = (command: Command): command is UpdateCommand =>
  command instanceof UpdateCommand && !/\+|ADD/.test(command.input.UpdateExpression ?? '');
