import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { DocumentSender } from '../../lib/store/database/database.ts';
import type { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import type { Random } from '../support/time/random.ts';
import type { Simulation } from '../support/time/simulation.ts';
import { type Command, isRead } from './failures.ts';

type Key = Readonly<Record<string, unknown>>;
type Input = { readonly Key?: Key; readonly Item?: Key };

const text = ({ Key, Item }: Input): string => JSON.stringify([(Key ?? Item)?.['pk'], (Key ?? Item)?.['sk']]);

/** The keys of the records that a command writes. */
function writtenBy({ input }: Command): string[] {
  const { TransactItems } = input as TransactWriteCommandInput;
  if (TransactItems === undefined) return [text(input as Input)];
  return TransactItems.flatMap((part) => Object.values(part)).map((part) => text(part as Input));
}

/**
 * A database under contention: requests take some milliseconds, and a transaction holds its records for some more.
 * During that time, every other write to one of them is refused as a conflict.
 */
export function contendedClient(table: MemoryTable, simulation: Simulation, random: Random): DocumentSender {
  const held = new Set<string>();

  const arrive = async (command: Command): Promise<object> => {
    if (isRead(command)) return table.execute(command);
    const keys = writtenBy(command);
    if (keys.some((key) => held.has(key))) throw conflict(command, keys);
    if (!(command instanceof TransactWriteCommand)) return table.execute(command);
    for (const key of keys) held.add(key);
    await simulation.sleep(4 + random.next() * 8);
    for (const key of keys) held.delete(key);
    return table.execute(command);
  };
  const conflict = (command: Command, keys: readonly string[]): Error => {
    if (!(command instanceof TransactWriteCommand)) return sdkError('TransactionConflictException', 400);
    const CancellationReasons = keys.map((key) => ({ Code: held.has(key) ? 'TransactionConflict' : 'None' }));
    return sdkError('TransactionCanceledException', 400, { CancellationReasons });
  };
  const send = async (command: Command): Promise<object> => {
    await simulation.sleep(1 + random.next() * 3);
    try {
      return await arrive(command);
    } finally {
      await simulation.sleep(1 + random.next() * 3);
    }
  };
  return { send: send as DocumentSender['send'] };
}
