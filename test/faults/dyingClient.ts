import type { DocumentSender } from '../../lib/store/database/database.ts';
import type { MemoryTable } from '../support/standIns/memoryTable/memoryTable.ts';
import type { Command } from './failures.ts';

/**
 * The client of a process that dies at one of its calls, counted from 0, whose response then never comes.
 * @param isDone whether that call takes effect
 * @returns `death` resolves to true when it dies
 */
export function dyingClient(table: MemoryTable, last: number, isDone: boolean) {
  const { promise: death, resolve: die } = Promise.withResolvers<true>();
  let calls = 0;
  const send = async (command: Command): Promise<object> => {
    const call = calls++;
    if (call < last) return table.execute(command);
    if (call === last && isDone) table.execute(command);
    die(true);
    return new Promise(() => undefined);
  };
  return { client: { send: send as DocumentSender['send'] }, death };
}
