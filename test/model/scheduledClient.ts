import { setImmediate } from 'node:timers/promises';
import type * as fc from 'fast-check';
import type { DocumentSender } from '../../lib/store/database/tableReader.ts';

type Command = { readonly constructor: { readonly name: string } };

/** Messages that have reached the database and are not answered yet. */
const underWay = new Set<Promise<unknown>>();

/**
 * Lets a scheduler do one thing at a time: the next is chosen when what the last has set off waits for the scheduler
 * again. DynamoDB's calls are atomic, so that nothing is lost by it, and a run can be repeated.
 */
export async function oneAtATime(release: () => Promise<void>): Promise<void> {
  await release();
  for (await setImmediate(); underWay.size > 0; await setImmediate()) await Promise.allSettled(underWay);
}

/** A client whose messages reach the database, and whose answers come back, when the scheduler says so. */
export function scheduledClient(client: DocumentSender, scheduler: fc.Scheduler): DocumentSender {
  const send = async (command: Command): Promise<unknown> => {
    const name = command.constructor.name.replace(/Command$/, '');
    await scheduler.schedule(Promise.resolve(), `${name} arrives`);
    const exchange: Promise<unknown> = Reflect.apply(client.send, client, [command]);
    underWay.add(exchange);
    try {
      return await exchange;
    } finally {
      underWay.delete(exchange);
      await scheduler.schedule(Promise.resolve(), `${name} is answered`);
    }
  };
  return { send: send as DocumentSender['send'] };
}
