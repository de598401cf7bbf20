import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../../lib/store/database/database.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import type { TestTable } from '../table/testTable.ts';

export interface SentCommand {
  readonly constructor: { readonly name: string };
  readonly input: Record<string, unknown>;
  readonly middlewareStack: GetCommand['middlewareStack'];
}

interface World {
  /** How far the operator's clock is ahead of DynamoDB's, in milliseconds. */
  readonly ahead?: number;
  /** Whether others do something while somebody sleeps. */
  readonly hasOthers?: boolean;
  /** What happens before a command is sent. */
  readonly before?: (command: SentCommand) => unknown;
}

/**
 * A table at a virtual time, which passes while somebody sleeps. Reads that are not consistent find nothing, as those of a
 * replica that is behind, and no page of a query has more than two records.
 */
export function atVirtualTime({ client, table }: TestTable, { ahead = 0, hasOthers = false, before }: World = {}) {
  let now = Math.ceil(Date.now() / 1_000) * 1_000;
  const pass = async (milliseconds: number) => {
    const end = now + milliseconds;
    while (hasOthers && now < end) {
      now = Math.min(now + 1_000, end);
      // As long as a request takes, so that others do as much on a busy machine.
      await client.send(new GetCommand({ TableName: table, Key: keys.account('nobody') }));
    }
    now = Math.max(now, end);
  };
  const send = async (command: SentCommand, options?: object) => {
    await before?.(command);
    const isRead = ['ScanCommand', 'QueryCommand'].includes(command.constructor.name);
    if (isRead && command.input['ConsistentRead'] !== true) return {};
    if (command.constructor.name === 'QueryCommand') command.input['Limit'] = 2;
    const setDate: Parameters<SentCommand['middlewareStack']['add']>[0] = (next) => async (args) => {
      const result = await next(args);
      Object.assign((result as { response: { headers: object } }).response.headers, {
        date: new Date(now).toUTCString(),
      });
      return result;
    };
    if (options !== undefined) command.middlewareStack.add(setDate, { step: 'deserialize', priority: 'low' });
    return client.send(command as never, options as never);
  };
  const clock = { now: () => now + world.ahead, random: Math.random, sleep: pass };
  const world = {
    ahead,
    /** The time by DynamoDB's clock. */
    now: () => now,
    database: new Database({ send: send as never }, table, clock),
    source: { client: { send: send as never }, table },
  };
  return world;
}
