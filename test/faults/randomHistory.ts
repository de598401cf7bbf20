import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Observation } from '../../lib/http/observation.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { keys } from '../../lib/store/records/keys.ts';
import type { Random } from '../support/time/random.ts';
import { drawFault, type Faults, longest } from './faultyClient.ts';
import type { History, Planted } from './history.ts';
import type { Variant } from './process.ts';
import { nextRequest } from './requests.ts';
import { type Actor, type Ask, openScene, type Scene, type SceneTable, withoutFaults } from './scene.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly clients: number;
  /** Requests of each client, before repeats. */
  readonly requests: number;
  readonly faults: Faults;
  readonly variant?: Variant;
}

/** People and programs repeat unanswered requests, with the same key if there is one: maximum number of attempts. */
const attempts = 3;

/** A history, and its processes' observations of the requests that they answered. */
interface ObservedHistory extends History {
  readonly observations: readonly Observation[];
}

/**
 * Concurrent clients that send random requests through processes with random faults.
 * @param table by default, an in-memory one
 */
export async function runHistory(options: HistoryOptions, table?: SceneTable): Promise<ObservedHistory> {
  const { seed, clients, requests, faults, variant } = options;
  const scene = await openScene(seed, variant, table);
  await scene.play([{ next: withoutFaults, work: (ask) => plant(ask, scene.accounts[0]) }]);
  const torn = await tear(scene);
  await scene.play(Array.from({ length: clients }, () => clientOf(scene, faults, requests)));
  // Takes the identifier from the torn item. After that, everything must be consistent.
  const { account, id } = torn;
  const settle = async (ask: Ask) => void (await ask({ account, id, body: { sku: null } }));
  await scene.play([{ next: withoutFaults, work: settle }]);
  const history = await scene.history([torn]);
  await scene.close();
  return { ...history, observations: scene.observations };
}

/** A client whose process meets faults, except at the last request, by which it must have recovered. */
function clientOf(scene: Scene, faults: Faults, requests: number): Actor {
  let isWithoutFaults = false;
  return {
    next: (random) => (isWithoutFaults ? undefined : drawFault(faults, random)),
    work: async (ask, random) => {
      for (let count = 0; count < requests; count += 1) await insist(ask, random, scene);
      isWithoutFaults = true;
      await scene.sleep(2 * longest);
      const name = `item-${scene.operations.length}`;
      await ask({ account: scene.accounts[0], body: { name }, isWithoutFaults });
    },
  };
}

async function insist(ask: Ask, random: Random, scene: Scene): Promise<void> {
  const { accounts, operations } = scene;
  const request = nextRequest(random, accounts, operations);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const operation = await ask(request);
    const { response } = operation;
    if (random.chance(0.3)) scene.readSoon(operation, random);
    if (response !== undefined && response.status !== 503) return;
    // Nobody repeats a create without a key, because the item may already exist.
    if (request.key === undefined && (request.id === undefined || random.chance(0.5))) return;
  }
}

/** The initial items, two of them for {@link tear}, and one with almost the maximum number of custom fields. */
async function plant(ask: Ask, account: string): Promise<void> {
  await ask({ account, body: { name: 'first', sku: 'A', unit: 'kg' } });
  await ask({ account, body: { name: 'second', pn: 'B' } });
  await ask({ account, body: { name: 'owner', sku: 'torn' } });
  await ask({ account, body: { name: 'restored' } });
  const { response } = await ask({ account, body: { name: 'full', metadata: fields(0, 50) } });
  await ask({ account, id: Number(response?.data['id']), body: { metadata: fields(50, 98) } });
}

const fields = (from: number, to: number): JsonObject =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`m${from + index}`, 0]));

/** Damages an item as a partial restore does: it has an identifier whose guard belongs to another item. */
async function tear({ table, operations, accounts: [account] }: Scene): Promise<Planted> {
  const id = Number(operations.find(({ body }) => body['name'] === 'restored')?.response?.data['id']);
  const sku = 'torn';
  await table.client.send(
    new UpdateCommand({
      TableName: table.table,
      Key: keys.item(account, id),
      UpdateExpression: 'SET sku = :sku',
      ExpressionAttributeValues: { ':sku': sku },
    }),
  );
  return { account, id, fields: { sku } };
}
