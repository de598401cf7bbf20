import { createItem } from '../../lib/catalog/createItem.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { dynamoCatalogStore } from '../../lib/store/catalog/dynamoCatalogStore.ts';
import { Database } from '../../lib/store/database/database.ts';
import { keys, listPartition } from '../../lib/store/records/keys.ts';
import { Random } from '../support/random.ts';
import { Simulation } from '../support/simulation.ts';
import { PartitionedTable } from './partitionedTable.ts';

/** The write units of a request, by partition. */
export interface UnitsByPartition {
  /** From the partition with the account's items. */
  readonly items: number;
  /** From the partition of the index with the account's list. */
  readonly list: number;
  /** From the partition with the account's id counter. */
  readonly counter: number;
  /** From partitions with a single record: guards and idempotency records. */
  readonly single: number;
}

const account = 'acme';

/** A container and the table that it writes to. */
function open() {
  const simulation = new Simulation(new Random(1));
  const table = new PartitionedTable(simulation, new Random(1), [account]);
  const store = dynamoCatalogStore(new Database(table, 'table', simulation));
  let count = 0;
  const context = () => {
    count += 1;
    return { ...timedContext(simulation.now() + 8_000), account, user: 'user-1', writeId: `write-${count}` };
  };
  return { simulation, table, store, context };
}

function unitsOf({ spent }: PartitionedTable, requests: number): UnitsByPartition {
  const of = (partition: string): number => (spent.get(partition) ?? 0) / requests;
  const known = {
    items: of(keys.item(account, 0).pk),
    list: of(listPartition(account)),
    counter: of(keys.counter(account).pk),
  };
  const all = [...spent.values()].reduce((sum, units) => sum + units, 0) / requests;
  return { ...known, single: Math.round((all - known.items - known.list - known.counter) * 10) / 10 };
}

/**
 * The average units of the ten creates that share a lease.
 * @param names the identifiers of each item
 */
export async function unitsOfCreate(names: readonly ('sku' | 'pn')[], hasKey = false): Promise<UnitsByPartition> {
  const { simulation, table, store, context } = open();
  const requests = 10;
  const create = async (): Promise<void> => {
    for (let nth = 0; nth < requests; nth += 1) {
      const identifiers = Object.fromEntries(names.map((name) => [name, `${name}-${nth}`]));
      await createItem(store, context(), { name: 'Chair', ...identifiers }, hasKey ? `key-${nth}` : undefined);
    }
  };
  await simulation.run([create()]);
  return unitsOf(table, requests);
}

/** The units of an update of an item that has one identifier. */
export async function unitsOfUpdate(body: JsonObject): Promise<UnitsByPartition> {
  const { simulation, table, store, context } = open();
  const update = async (): Promise<void> => {
    const { item } = await createItem(store, context(), { name: 'Chair', sku: 'CH-1' });
    table.spent.clear();
    await updateItem(store, context(), { id: item.id, body, revisions: undefined });
  };
  await simulation.run([update()]);
  return unitsOf(table, 1);
}
