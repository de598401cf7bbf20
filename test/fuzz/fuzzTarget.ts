import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { limits } from '../../lib/item/limits.ts';
import { allFindings } from '../support/damage/verifier.ts';
import { gatewayEvent, lambdaContext, testCaller } from '../support/lambda/gatewayEvent.ts';
import { relaxTimeouts } from '../support/setup/relaxTimeouts.ts';
import { stored } from '../support/table/storedRecords.ts';
import { createTestTable, newContainer, openTestAccount } from '../support/table/testTable.ts';
import type { FuzzRequest } from './fuzzRequest.ts';

/** The CPU that one request may use, in multiples of {@link cpuUnit}: a slow machine is slow at both. */
export const cpuLimit = 30;
/** How often a request over the limit is tried again, since the first time may have included a garbage collection. */
const retries = 20;

interface Measured {
  readonly response: APIGatewayProxyResult;
  /** In multiples of {@link cpuUnit}; without the engine, which is another process. */
  readonly cpu: number;
}

/** Runs a function, and measures the CPU of this process in milliseconds. */
async function measureCpu<T>(run: () => T): Promise<{ result: Awaited<T>; cpu: number }> {
  const before = process.cpuUsage();
  const result = await run();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: (user + system) / 1_000 };
}

const largestBody = JSON.stringify(
  Object.fromEntries(Array.from({ length: 12_000 }, (_, index) => [`k${index}`, index])),
).padEnd(limits.body);

/** The CPU that it takes to parse a body of the largest size and to write it again, in milliseconds. */
async function cpuUnit(): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 10; run += 1)
    runs.push((await measureCpu(() => JSON.stringify(JSON.parse(largestBody)))).cpu);
  return Math.min(...runs);
}

/** A token that outlives every round. */
const longLived = { expiresAt: 10 ** 10 };

const hasWritten = ({ statusCode, headers }: APIGatewayProxyResult): boolean =>
  statusCode < 300 && headers?.['idempotency-replayed'] === undefined;

/** The two handlers over a table of their own with two open accounts. */
export async function openTarget() {
  relaxTimeouts();
  const table = await createTestTable();
  const [account, otherAccount] = [await openTestAccount(table), await openTestAccount(table)];
  const dependencies = {
    openStore: newContainer(table),
    now: Date.now,
    newWriteId: randomUUID,
    observe: () => undefined,
    corsOrigins: ['*'],
  };
  const handlers = { createItem: createItemHandler(dependencies), updateItem: updateItemHandler(dependencies) };
  let unit = await cpuUnit();
  /** Each write raises the revision of one item by one. */
  let reportedWrites = 0;
  const send = async ({ operation, caller, headers, body, id }: FuzzRequest): Promise<Measured> => {
    const isUpdate = operation === 'updateItem';
    const framed = { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    const event = gatewayEvent({ caller, headers, ...framed, ...(isUpdate && { id: String(id) }) });
    const { result: response, cpu } = await measureCpu(() =>
      handlers[operation](event, lambdaContext(timeouts.function)),
    );
    if (hasWritten(response)) reportedWrites += 1;
    return { response, cpu: cpu / unit };
  };
  return {
    callers: [
      testCaller(account, longLived),
      testCaller(account, { ...longLived, user: 'user-2', permissions: ['catalog:edit'] }),
      testCaller(otherAccount, longLived),
    ],
    /** The first response to a request, and the least CPU that it used in as many tries as it needs to keep the limit. */
    send: async (request: FuzzRequest): Promise<Measured> => {
      let { response, cpu } = await send(request);
      for (let retry = 0; cpu > cpuLimit && retry < retries; retry += 1) {
        unit = await cpuUnit();
        cpu = Math.min(cpu, (await send(request)).cpu);
      }
      return { response, cpu };
    },
    /** How many writes no response has reported; negative when reported ones are missing. */
    unreportedWrites: async (): Promise<number> => {
      const revisions = (await stored(table)).map(({ revision }) => Number(revision ?? 0));
      return revisions.reduce((sum, revision) => sum + revision, 0) - reportedWrites;
    },
    /** What the verification of the table finds. */
    findings: async () => allFindings(await stored(table), Date.now()),
  };
}
