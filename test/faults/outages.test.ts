import { describe, expect, it } from 'vitest';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { openTestAccount } from '../support/table/testTable.ts';
import type { Command } from './failures.ts';
import type { ClientRequest } from './history.ts';
import { startProcess, type Variant } from './process.ts';
import { arrangedVariants } from './variants/variants.ts';

const account = 'acme';

/** A table, and processes in which a test can throttle some commands for any time. */
async function open(variant?: Variant) {
  const table = new MemoryTable();
  const database = new Database(table, 'table');
  await openTestAccount({ database }, account);
  let now = Date.UTC(2030, 0, 1);
  let isThrottled = (_command: Command): boolean => false;
  const client: DocumentSender = {
    send: (async (command: Command) => {
      if (isThrottled(command)) throw sdkError('ThrottlingException', 400);
      return table.execute(command);
    }) as DocumentSender['send'],
  };
  const sleep = async (milliseconds: number): Promise<void> => {
    now += milliseconds;
  };
  let writes = 0;
  const start = () => {
    const clock = { now: () => now, random: () => 0.5, sleep };
    const serve = startProcess({ client, table: 'table', clock, variant, newWriteId: () => `stamp-${++writes}` });
    return async (request: Omit<ClientRequest, 'account'>) => (await serve({ account, ...request })).status;
  };
  const throttle = (which: typeof isThrottled): void => {
    isThrottled = which;
  };
  return {
    start,
    throttle,
    addCategory: () => configureAccount(database.for(timedContext(Infinity)), account).addCategory('Newer'),
  };
}

const isQuery = ({ constructor: { name } }: Command): boolean => name === 'QueryCommand';
const isLease = ({ input }: Command): boolean => JSON.stringify(input).includes('#COUNTER');

/** An update of an item with a category that its process does not know yet, while the account cannot be read. */
async function updateWithNewerCategory(variant?: Variant): Promise<number> {
  const { start, throttle, addCategory } = await open(variant);
  const process = start();
  await process({ body: { name: 'item' } });
  const category = await addCategory();
  await start()({ id: 1, body: { category } });
  throttle(isQuery);
  return process({ id: 1, body: { value: 1 } });
}

/** Two creates in one process. The first cannot lease ids. */
async function createsAfterFailedLease(variant?: Variant): Promise<number[]> {
  const { start, throttle } = await open(variant);
  const process = start();
  throttle(isLease);
  const first = await process({ body: { name: 'first' } });
  throttle(() => false);
  return [first, await process({ body: { name: 'second' } })];
}

describe('while part of the database does not respond', () => {
  it('a completed update returns 200, even if the name of its category cannot be read', async () => {
    expect(await updateWithNewerCategory()).toBe(200);
    expect(await updateWithNewerCategory(arrangedVariants['the name of the category is required'])).toBe(503);
  });

  it('a process can create again as soon as it can lease ids again', async () => {
    expect(await createsAfterFailedLease()).toEqual([503, 201]);
    expect(await createsAfterFailedLease(arrangedVariants['a failed lease is not tried again'])).toEqual([503, 503]);
  });
});
