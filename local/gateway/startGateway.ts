import { createServer } from 'node:http';
import { CommandError } from '../../cli/commandError.ts';
import type { Invoke } from '../functions/invoke.ts';
import { type Listening, listen } from '../listen.ts';
import type { ServePages } from '../pages/servePages.ts';
import type { ApiDefinition } from '../template/readApi.ts';
import { type CompletedRequest, handleRequests } from './handleRequests.ts';

/**
 * Serves an API on this machine as API Gateway would. The template defines everything, including the gateway's own
 * responses. Closing it waits for the functions under way, which would write their logs later: for at most as long as
 * their timeouts allow.
 * @param port the port to listen on; 0 means any free port
 * @param options `servePages` serves pages that are not part of the API
 * @throws CommandError if it cannot listen on the port
 */
export async function startGateway(
  api: ApiDefinition,
  invoke: Invoke,
  port: number,
  options: { log?: ((answered: CompletedRequest) => void) | undefined; servePages?: ServePages } = {},
  host?: string,
): Promise<Listening> {
  const { log = () => {}, servePages = () => undefined } = options;
  const answer = handleRequests(api, invoke, log);
  const underWay = new Set<Promise<void>>();
  const server = createServer((message, response) => {
    const served = servePages(message, response) ?? answer(message, response);
    underWay.add(served);
    served.finally(() => underWay.delete(served));
  });
  const listening = await listen(server, port, host).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${cause.message})`;
    throw new CommandError(`Port ${port} ${reason}: set PORT to another one, or to 0 for any free one.`, 1, { cause });
  });
  const close = async (): Promise<void> => {
    await listening.close();
    await Promise.allSettled(underWay);
  };
  return { ...listening, close };
}
