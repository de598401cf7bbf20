import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Maximum size of a document, in bytes. Large providers' key sets have about 20,000. */
const sizeLimit = 256 * 1024;

/**
 * Fetches a JSON document, without following redirects, on a connection of its own, because one that is kept alive
 * could die while Lambda has the function frozen. @param signal aborts it, even while the document is being received
 * @throws an error unless the response is 200 with JSON within the limits
 */
export async function fetchDocument(address: URL, signal: AbortSignal): Promise<unknown> {
  const send = address.protocol === 'https:' ? requestHttps : requestHttp;
  // Firewalls, AWS's among them, refuse requests without a user agent.
  const headers = { accept: 'application/json', 'user-agent': 'catalog-service' };
  const request = send(address, { agent: false, signal, headers });
  // Once there is a response, it also reports the request's errors.
  const responded = once(request, 'response');
  request.on('error', () => undefined).end();
  const [response] = (await responded) as [IncomingMessage];
  try {
    if (response.statusCode !== 200) throw new Error(`${address} responded with ${response.statusCode}`);
    return parse(address, await readBody(address, response));
  } finally {
    // Otherwise it would still be closing when Lambda freezes the function.
    response.socket.destroy();
  }
}

async function readBody(address: URL, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > sizeLimit) throw new Error(`${address} responded with more than ${sizeLimit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(address: URL, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${address} did not respond with JSON`);
  }
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address is safe from interception: https, or http on this machine. */
export const isSecure = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopback.includes(hostname));
