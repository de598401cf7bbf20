import { expect, it } from 'vitest';
import type { DocumentSender } from '../../lib/store/database/database.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { inOrder } from '../support/table/storedRecords.ts';
import { createTestTable } from '../support/table/testTable.ts';
import { type Command, isRequestWrite } from './failures.ts';
import type { ClientResponse } from './history.ts';
import { startProcess } from './process.ts';
import { account, begin } from './schedules/explore.ts';
import { kinds, manyFields } from './schedules/pairs.ts';

/** One of every three writes has no response, so that the store looks for what became of it. */
function losing(client: DocumentSender): DocumentSender {
  let writes = 0;
  const send = async (command: Command): Promise<unknown> => {
    const output = await Reflect.apply(client.send, client, [command]);
    if (isRequestWrite(command) && ++writes % 3 === 0) throw sdkError('TimeoutError', undefined);
    return output;
  };
  return { send: send as DocumentSender['send'] };
}

/** What requests of every kind are answered one after another, twice each, and batches that match codes. */
async function responsesOf(client: DocumentSender, table: string) {
  await begin(client, { planted: { metadata: manyFields(97, 0) } }, table);
  const clock = { now: () => Date.UTC(2030, 0, 1), random: () => 0.5, sleep: async () => undefined };
  let writes = 0;
  const serve = startProcess({ client: losing(client), table, clock, newWriteId: () => `stamp-${++writes}` });
  const responses: ClientResponse[] = [];
  for (const { requestFor } of Object.values(kinds))
    for (const place of [0, 1]) responses.push(await serve({ account, ...requestFor(place) }));
  // The engine answers the rows of one batch in any order.
  for (const sku of ['S', 'N', 'X', 'X'])
    responses.push(...(await serve.batch([{ account, body: { name: `row ${sku}`, sku, value: 3 } }], 'b', 'sku')));
  return responses;
}

it('the table in memory answers as the engine does, and has the same records', async () => {
  const [memory, engine] = [new MemoryTable(), await createTestTable()];
  const responses = await responsesOf(memory, 'table');
  expect(responses).toEqual(await responsesOf(engine.client, engine.table));
  const statuses = responses.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 201, 409, 412, 422]));
  expect(inOrder(memory.records())).toEqual(inOrder(await engine.records()));
});
