import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { keys } from '../../lib/store/records/keys.ts';
import type { OpenTable } from '../table/openTable.ts';

/** The time by DynamoDB's clock, up to a second ago: the header `Date` of a response, in whole seconds as in streams. */
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
  // Without options, the client uses handlers that it keeps, which do not know the command's middleware.
  await client.send(command, {});
  const time = Date.parse(date ?? '');
  if (Number.isNaN(time)) throw new Error(`DynamoDB has not told the time: ${date}`);
  return time;
}
