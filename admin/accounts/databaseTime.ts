import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { keys } from '../../lib/store/records/keys.ts';
import type { OpenTable } from '../table/openTable.ts';

/**
 * The time by DynamoDB's clock, up to a second ago: the header `Date` of a response has whole seconds, as the times of
 * stream records do.
 */
export async function databaseTime({ client, table }: OpenTable['source']): Promise<EpochMs> {
  let date: string | undefined;
  const command = new GetCommand({ TableName: table, Key: keys.account('') });
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { readonly headers: Record<string, string> }).headers['date'];
      return result;
    },
    { step: 'deserialize' },
  );
  // With options, the client does not use the handlers that it keeps, which do not know the command's own middleware.
  await client.send(command, {});
  const time = Date.parse(date ?? '');
  if (Number.isNaN(time)) throw new Error(`DynamoDB has not told the time: ${date}`);
  return time;
}
