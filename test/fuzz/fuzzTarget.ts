import { randomUUID } from 'node:crypto';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { verifyRecords } from '../../lib/operator/verification/verifyTable.ts';
import { lambdaContext, testCaller } from '../support/proxyEvent.ts';
import { stored } from '../support/storedRecords.ts';
import type { TestEngine } from '../support/testTable.ts';
import { createTestTable, newContainer, openTestAccount } from '../support/testTable.ts';
import type { FuzzRequest } from './fuzzEvent.ts';

/** What one request may cost this process, in milliseconds of CPU. */
export const cpuBound = 100;
/** How often a request over the bound is tried again: a collection of garbage may have fallen into the first time. */
const repeats = 20;

interface Answered {
  readonly response: APIGatewayProxyResult;
  /** In milliseconds of this process; the engine is another. */
  readonly cpu: number;
}

/** Whoever is in no hurry: a token that does not end while the fuzzing goes on. */
const patient = { expiresAt: 10 ** 10 };

const isWritten = ({ statusCode, headers }: APIGatewayProxyResult): boolean =>
  statusCode < 300 && headers?.['idempotency-replayed'] === undefined;

/**
 * The two handlers over a table of their own with two open accounts.
 * @param engine left out: the one that the test run shares
 */
export async function openTarget(engine?: TestEngine) {
  const table = await createTestTable(engine);
  const [one, other] = [await openTestAccount(table), await openTestAccount(table)];
  const dependencies = {
    store: newContainer(table),
    now: Date.now,
    newWriteId: randomUUID,
    observe: () => undefined,
    corsOrigins: ['*'],
  };
  const handlers = { createItem: createItemHandler(dependencies), updateItem: updateItemHandler(dependencies) };
  /** How many writes the answers have told of, each of which has raised one item's revision by one. */
  let told = 0;
  const once = async ({ operation, event }: FuzzRequest): Promise<Answered> => {
    // The handlers leave what they have read of an event on it.
    const copy = structuredClone(event) as APIGatewayProxyEvent;
    const before = process.cpuUsage();
    const response = await handlers[operation](copy, lambdaContext());
    const { user, system } = process.cpuUsage(before);
    if (isWritten(response)) told += 1;
    return { response, cpu: (user + system) / 1_000 };
  };
  return {
    callers: [
      testCaller(one, patient),
      testCaller(one, { ...patient, user: 'user-2', permissions: ['catalog:edit'] }),
      testCaller(other, patient),
    ],
    /** The first answer to a request, and the least CPU that it took in as many tries as it needs to keep the bound. */
    answer: async (request: FuzzRequest): Promise<Answered> => {
      let { response, cpu } = await once(request);
      for (let repeat = 0; cpu > cpuBound && repeat < repeats; repeat += 1)
        cpu = Math.min(cpu, (await once(request)).cpu);
      return { response, cpu };
    },
    table,
    /** Writes since the last time that no answer has told of, or that are not there; a refused request makes none. */
    untold: async (): Promise<number> => {
      const revisions = (await stored(table)).map(({ revision }) => Number(revision ?? 0));
      const done = revisions.reduce((sum, revision) => sum + revision, 0);
      const untold = done - told;
      told = done;
      return untold;
    },
    /** The invariants that the table breaks, in words. */
    broken: async (): Promise<string[]> =>
      (await verifyRecords(await stored(table), Date.now())).map((finding) => JSON.stringify(finding)),
    close: async () => {
      await table.client.send(new DeleteTableCommand({ TableName: table.table }));
      table.client.destroy();
    },
  };
}
