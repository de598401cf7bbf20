import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Database } from '../../../lib/store/database/database.ts';
import { keys } from '../../../lib/store/records/keys.ts';

export interface Sent {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the input of any command
  readonly input: any;
  /** In milliseconds. Undefined means the default. */
  readonly requestTimeout: number | undefined;
}

/** The reply to a command. An error is thrown; a function returns either for the sent command. */
export type Reply = object | Error | ((sent: Sent) => object | Error);

/** The query's response for an account without categories and with two units. */
export const configuration = (account: string) => ({
  Items: [
    { ...keys.account(account), default_tax: 0 },
    { ...keys.unit(account, 'un'), code: 'un', decimals: 0 },
    { ...keys.unit(account, 'kg'), code: 'kg', decimals: 3 },
  ],
});

/** When the scripted time begins, in milliseconds since 1970. */
export const beginning = 1_000_000;

/**
 * A store with a DynamoDB that answers commands from a script, for responses that a real one cannot be made to give at
 * will. Time passes only when the store waits.
 */
export function scripted(replies: readonly Reply[]) {
  const sent: Sent[] = [];
  const waits: number[] = [];
  let now = beginning;
  const send = async (
    { constructor: { name }, input }: { constructor: { name: string }; input: unknown },
    options?: { requestTimeout: number },
  ) => {
    const command = { name: name.replace(/Command$/, ''), input, requestTimeout: options?.requestTimeout };
    sent.push(command);
    const reply = replies[sent.length - 1] ?? new Error(`Nothing answers request ${sent.length}, a ${name}`);
    const answer = typeof reply === 'function' ? reply(command) : reply;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const sleep = async (milliseconds: number) => {
    waits.push(milliseconds);
    now += milliseconds;
  };
  const clock = { now: () => now, random: () => 0.5, sleep };
  const client = { send: send as unknown as DynamoDBClient['send'] };
  return {
    database: new Database(client, 'table-1', clock),
    sent,
    /** In milliseconds. */
    waits,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}
