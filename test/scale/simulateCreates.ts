import { createItem } from '../../lib/catalog/createItem.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { dynamoCatalogStore } from '../../lib/store/catalog/dynamoCatalogStore.ts';
import { Database } from '../../lib/store/database/database.ts';
import { Random } from '../support/random.ts';
import { Simulation } from '../support/simulation.ts';
import { PartitionedTable } from './partitionedTable.ts';

/** Creates that arrive at random times, each for a random account and at a random free container. */
export interface Load {
  readonly accounts: number;
  /** Containers of the function that creates items, all cold. Each serves one request at a time. */
  readonly containers: number;
  readonly creates: number;
  /** Creates per second; infinite: all at once. */
  readonly rate: number;
  /** How many identifiers each item has. */
  readonly identifiers: 0 | 1 | 2;
}

/** A create that a container answered. */
interface Answered {
  readonly account: string;
  /** The id of the new item; undefined if the answer was 503. */
  readonly id: number | undefined;
  /** In virtual milliseconds. */
  readonly duration: number;
  readonly roundTrips: number;
  readonly retries: number;
}

interface Outcome {
  readonly answered: readonly Answered[];
  /** How many creates found no free container. */
  readonly withoutContainer: number;
  readonly table: PartitionedTable;
  /** Virtual seconds until the last answer. */
  readonly seconds: number;
}

/**
 * Runs the real use case and store, with their id leases and retries, in virtual time.
 * @param seed decides everything that happens
 */
export async function simulateCreates(load: Load, seed: number): Promise<Outcome> {
  const random = new Random(seed);
  const simulation = new Simulation(new Random(seed ^ 0x5eed));
  const accounts = Array.from({ length: load.accounts }, (_, index) => `account-${index}`);
  const table = new PartitionedTable(simulation, random, accounts);
  const free = Array.from({ length: load.containers }, () =>
    dynamoCatalogStore(new Database(table, 'table', simulation)),
  );
  const answered: Answered[] = [];
  let withoutContainer = 0;

  const serve = async (nth: number): Promise<void> => {
    const account = accounts[random.below(accounts.length)] ?? '';
    const [container] = free.splice(random.below(free.length), 1);
    if (container === undefined) {
      withoutContainer += 1;
      return;
    }
    const started = simulation.now();
    const timed = timedContext(started + timeouts.request);
    const context = { ...timed, account, user: 'user-1', writeId: `write-${nth}` };
    const id = await createItem(container, context, bodyOf(nth, load)).then(({ item }) => item.id, undefinedIf503);
    free.push(container);
    const { roundTrips, retries } = timed.stats;
    answered.push({ account, id, duration: simulation.now() - started, roundTrips, retries: retries.throttled });
  };

  const arrive = async (): Promise<void> => {
    const requests: Promise<void>[] = [];
    for (let nth = 0; nth < load.creates; nth += 1) {
      await simulation.sleep((-Math.log(1 - random.next()) * 1_000) / load.rate);
      requests.push(serve(nth));
    }
    await Promise.all(requests);
  };
  const started = simulation.now();
  await simulation.run([arrive()]);
  return { answered, withoutContainer, table, seconds: (simulation.now() - started) / 1_000 };
}

const bodyOf = (nth: number, { identifiers }: Load) => ({
  name: `Item ${nth}`,
  ...(identifiers > 0 && { sku: `S-${nth}` }),
  ...(identifiers > 1 && { pn: `P-${nth}` }),
});

function undefinedIf503(error: unknown): undefined {
  if (!(error instanceof CatalogError && error.code === 'SERVICE_UNAVAILABLE')) throw error;
}
