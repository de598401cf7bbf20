import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What some requests took of DynamoDB. */
export interface Usage {
  readonly messages: number;
  readonly units: number;
}

/** Stands before the engine, and counts the messages that pass with the capacity units that they take. */
export async function startMeter(engine: string) {
  let [messages, units] = [0, 0];
  const server = createServer(async (request, response) => {
    const message = JSON.parse((await buffer(request)).toString());
    const { host: _, 'content-length': __, ...headers } = request.headers as Record<string, string>;
    const body = JSON.stringify({ ...message, ReturnConsumedCapacity: 'TOTAL' });
    const answer = await fetch(engine, { method: 'POST', headers, body });
    const text = await answer.text();
    messages += 1;
    const consumed = [JSON.parse(text).ConsumedCapacity ?? []].flat() as { CapacityUnits: number }[];
    // DynamoDB charges a write that its condition refuses like one that is done; the engine does not tell.
    units += answer.ok ? consumed.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0) : 1;
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** @returns what was used since it was last asked */
    take: (): Usage => {
      const usage = { messages, units };
      [messages, units] = [0, 0];
      return usage;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
