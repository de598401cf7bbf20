import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards requests to the engine. After `loseAnswer`, the next update takes effect, but its response is lost. */
export async function startLossyProxy(engine: string) {
  let isLosing = false;
  const server = createServer((request, response) => {
    const { method, url, rawHeaders, headers } = request;
    const isLost = isLosing && String(headers['x-amz-target']).endsWith('.UpdateItem');
    if (isLost) isLosing = false;
    const outgoing = send(engine, { method, path: url, headers: rawHeaders }, (answer) => {
      if (isLost) response.destroy();
      else answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.rawHeaders));
    });
    request.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAnswer: () => {
      isLosing = true;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
