import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** The most that a document may have, in bytes; the key sets of large providers have some 20,000. */
const sizeLimit = 256 * 1024;

/**
 * Fetches a JSON document. Redirects are not followed. Each request has a connection of its own: one that was kept could
 * have died while Lambda had the function frozen.
 * @param signal ends the request, also while the document arrives
 * @throws an error when it is not answered with 200 and JSON within the limits
 */
export async function fetchDocument(address: URL, signal: AbortSignal): Promise<unknown> {
  const send = address.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(address, { agent: false, signal, headers: { accept: 'application/json' } });
  // Once there is a response, a failure of the request is the response's as well.
  const responded = once(request, 'response');
  request.on('error', () => undefined).end();
  const [response] = (await responded) as [IncomingMessage];
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`${address} answered ${response.statusCode}`);
  }
  return parse(address, await readBody(address, response));
}

async function readBody(address: URL, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > sizeLimit) throw new Error(`${address} answered more than ${sizeLimit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(address: URL, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${address} answered no JSON`);
  }
}
