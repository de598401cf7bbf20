import { randomUUID } from 'node:crypto';
import type { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { getItemHandler } from '../../lib/http/getItemHandler.ts';
import { listItemsHandler } from '../../lib/http/listItemsHandler.ts';
import type { ProxyHandler } from '../../lib/http/operation.ts';
import { createObserver } from '../../lib/runtime/observer.ts';
import { gatewayEvent } from '../support/gatewayEvent.ts';
import { lambdaContext, testCaller } from '../support/proxyEvent.ts';
import type { TestTable } from '../support/testTable.ts';
import { createIn, newContainer, newReader, openTestAccount, testCall } from '../support/testTable.ts';
import type { Kind, Work } from './benchService.ts';

/** Reads an item and a page of 50, through the handlers and as the bare calls that they send. */
export async function readKinds(table: TestTable): Promise<Kind[]> {
  const account = await openTestAccount(table);
  const store = newContainer(table);
  for (let number = 0; number < 100; number += 1)
    await createIn(store, testCall(account), { name: `Chair ${number}`, value: 12.5 });

  let sent: GetCommand[] = [];
  const send = (command: GetCommand, ...rest: unknown[]) => {
    sent.push(command);
    return Reflect.apply(table.client.send, table.client, [command, ...rest]);
  };
  const dependencies = {
    store: newReader({ client: { send: send as TestTable['client']['send'] }, table: table.table }),
    now: Date.now,
    newWriteId: randomUUID,
    observe: createObserver({ write: () => undefined, table: table.table, now: Date.now, errorsOnly: false }),
    corsOrigins: ['*'],
  };
  const caller = testCaller(account, { expiresAt: Math.floor(Date.now() / 1000) + 24 * 60 * 60 });
  const kind = async (name: string, handler: ProxyHandler, event: APIGatewayProxyEvent): Promise<Kind> => {
    const read: Work = async () => {
      sent = [];
      const { statusCode, body } = await handler(event, lambdaContext());
      if (statusCode !== 200) throw new Error(`Answered ${statusCode}: ${body}`);
    };
    // The first request also loads the account.
    await read();
    await read();
    const commands = sent;
    const bare: Work = async () => {
      for (const command of commands) await table.client.send(command);
    };
    const many = (work: Work) => async (count: number) => Array.from({ length: count }, () => work);
    return { name, viaHandler: many(read), bare: many(bare) };
  };
  return [
    await kind('read of an item', getItemHandler(dependencies), gatewayEvent({ caller, id: '1' })),
    await kind('list of 50 items', listItemsHandler(dependencies), gatewayEvent({ caller })),
  ];
}
