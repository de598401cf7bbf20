import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { keyOf } from '../../lib/store/database.ts';
import { keys } from '../../lib/store/keys.ts';
import type { Random } from '../support/random.ts';
import type { TestEngine } from '../support/testTable.ts';
import type { Faults } from './faultyClient.ts';
import { drawFault } from './faultyClient.ts';
import type { Ask, History, Operation, Scene, Variant } from './history.ts';
import { openScene, withoutFaults } from './history.ts';
import { nextRequest } from './requests.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly clients: number;
  /** Requests of each client, before repeats. */
  readonly requests: number;
  readonly faults: Faults;
  readonly variant?: Variant;
}

/** People save again what was not answered, and programs repeat it under its key: at most so many times in all. */
const attempts = 3;

/** Concurrent clients that send random requests through processes with random faults. */
export async function runHistory(options: HistoryOptions, engine?: TestEngine): Promise<History> {
  const { seed, clients, requests, faults, variant } = options;
  const scene = await openScene(seed, variant, engine);
  await scene.play([{ next: withoutFaults, work: (ask) => plant(ask, scene.accounts[0]) }]);
  await tear(scene);
  const next = (random: Random) => drawFault(faults, random);
  const work = async (ask: Ask, random: Random): Promise<void> => {
    for (let count = 0; count < requests; count += 1) await insist(ask, random, scene);
  };
  await scene.play(Array.from({ length: clients }, () => ({ next, work })));
  // Takes the code from the torn item, after which all must be sound.
  const id = tornId(scene.operations);
  const settle = async (ask: Ask) => void (await ask({ account: scene.accounts[0], id, body: { sku: null } }));
  await scene.play([{ next: withoutFaults, work: settle }]);
  return scene.history();
}

async function insist(ask: Ask, random: Random, { accounts, operations }: Scene): Promise<void> {
  const request = nextRequest(random, accounts, operations);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { answer } = await ask(request);
    if (answer !== undefined && answer.status !== 503) return;
    // Nobody repeats a create without a key: it may be there already.
    if (request.key === undefined && (request.id === undefined || random.chance(0.5))) return;
  }
}

/** Some items to begin with, two of them for {@link tear}. */
async function plant(ask: Ask, account: string): Promise<void> {
  await ask({ account, body: { name: 'first', sku: 'A', unit: 'kg' } });
  await ask({ account, body: { name: 'second', pn: 'B' } });
  await ask({ account, body: { name: 'owner', sku: 'torn' } });
  await ask({ account, body: { name: 'restored' } });
}

const tornId = (operations: readonly Operation[]): number =>
  Number(operations.find(({ body }) => body['name'] === 'restored')?.answer?.data['id']);

/** Leaves an item as a partial restore from a backup does: it has a code whose guard is another item's. */
async function tear({ table, operations, accounts }: Scene): Promise<void> {
  await table.client.send(
    new UpdateItemCommand({
      TableName: table.table,
      Key: keyOf(keys.item(accounts[0], tornId(operations))),
      UpdateExpression: 'SET sku = :sku',
      ExpressionAttributeValues: { ':sku': { S: 'torn' } },
    }),
  );
}
