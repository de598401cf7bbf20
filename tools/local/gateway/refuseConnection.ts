import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiDefinition } from '../template/deployment.ts';
import { GatewayError } from './gatewayError.ts';
import { gatewayResponse } from './gatewayResponse.ts';

/** A request and its response. */
export interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Responds to invalid HTTP and closes the connection.
 * @param socket the connection
 * @param previous the last valid request on the connection, whose response must be sent first
 */
export function refuseConnection(api: ApiDefinition, socket: Duplex, previous: Exchange | undefined): void {
  if (previous?.message.complete === true && !previous.response.writableFinished && socket.writable) {
    previous.response.once('finish', () => refuseConnection(api, socket, undefined));
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = gatewayResponse(api, new GatewayError('DEFAULT_4XX'), randomUUID());
  const all = [...headers, ['content-length', String(Buffer.byteLength(body))], ['connection', 'close']];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...all.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
