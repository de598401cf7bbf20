import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DocumentSender } from '../../lib/store/database/tableReader.ts';
import { advanceCounter } from '../../lib/store/records/counterRecord.ts';
import { MemoryTable } from '../support/memoryTable/memoryTable.ts';
import type { Random } from '../support/random.ts';
import { configuration } from '../support/scripted.ts';
import { sdkError } from '../support/sdkError.ts';
import type { Simulation } from '../support/simulation.ts';
import { awsLimits } from './awsLimits.ts';
import type { Command } from './writeUnits.ts';
import { chargesFor, keysWrittenBy, listsWrittenBy } from './writeUnits.ts';

/** The write units that a partition has left. It saves up no more than one second's worth. */
class Bucket {
  static readonly rate: number = awsLimits.partitionWrites.value;
  #left = Bucket.rate;
  #since: number;

  constructor(now: number) {
    this.#since = now;
  }

  /** @param now in milliseconds since 1970 */
  hasUnits(now: number): boolean {
    this.#left = Math.min(Bucket.rate, this.#left + ((now - this.#since) * Bucket.rate) / 1_000);
    this.#since = now;
    return this.#left >= 1;
  }

  spend(units: number): void {
    this.#left -= units;
  }
}

/**
 * A table in which every partition key, of the table and of its index, is a partition of its own: throttled at DynamoDB's
 * limit and never split. Messages take a few milliseconds. All accounts have the same configuration, which is free to read.
 */
export class PartitionedTable {
  readonly records = new MemoryTable();
  /** Write units spent, by partition key. */
  readonly spent = new Map<string, number>();
  /** How many messages that write were sent, and how many of them were throttled. */
  readonly writes = { sent: 0, throttled: 0 };
  readonly #simulation: Simulation;
  readonly #random: Random;
  readonly #buckets = new Map<string, Bucket>();

  /** @param accounts the ids of the accounts, all of which have leased ids before */
  constructor(simulation: Simulation, random: Random, accounts: readonly string[]) {
    this.#simulation = simulation;
    this.#random = random;
    for (const account of accounts)
      this.records.execute(new UpdateCommand({ TableName: 'table', ...advanceCounter(account, 0) }));
  }

  send = (async (command: Command): Promise<object> => {
    await this.#wait(1, 4);
    try {
      return await this.#arrive(command);
    } finally {
      await this.#wait(1, 4);
    }
  }) as DocumentSender['send'];

  /** Waits a random time from `least` to `most` milliseconds. */
  #wait = (least: number, most: number): Promise<void> =>
    this.#simulation.sleep(least + this.#random.next() * (most - least));

  async #arrive(command: Command): Promise<object> {
    const { name } = command.constructor;
    if (name === 'QueryCommand') return configuration('any');
    this.writes.sent += 1;
    this.#throttle(command);
    if (name === 'TransactWriteCommand') await this.#wait(4, 12);
    return this.#execute(command, name === 'TransactWriteCommand' ? 2 : 1);
  }

  /** @throws what the SDK throws if a partition that the command writes to has no units left */
  #throttle(command: Command): void {
    const keys = keysWrittenBy(command).map(({ pk }) => pk);
    const isFull = (partition: string) => !this.#bucket(partition).hasUnits(this.#simulation.now());
    if (![...keys, ...listsWrittenBy(command)].some(isFull)) return;
    this.writes.throttled += 1;
    if (command.constructor.name !== 'TransactWriteCommand') throw sdkError('ThrottlingException', 400);
    throw sdkError('TransactionCanceledException', 400, {
      CancellationReasons: keys.map(() => ({ Code: 'ThrottlingError' })),
    });
  }

  #execute(command: Command, factor: number): object {
    const keys = keysWrittenBy(command);
    const before = keys.map(this.records.record);
    try {
      return this.records.execute(command);
    } finally {
      for (const [index, key] of keys.entries())
        for (const { partition, units } of chargesFor(key, before[index], this.records.record(key), factor)) {
          this.spent.set(partition, (this.spent.get(partition) ?? 0) + units);
          this.#bucket(partition).spend(units);
        }
    }
  }

  #bucket(partition: string): Bucket {
    const bucket = this.#buckets.get(partition) ?? new Bucket(this.#simulation.now());
    this.#buckets.set(partition, bucket);
    return bucket;
  }
}
