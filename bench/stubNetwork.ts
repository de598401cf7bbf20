import type { IncomingMessage } from 'node:http';

/** The answer to a message, if it is of an operation such as `GetItem`, and has this text in its body. */
export interface StubAnswer {
  readonly operation: string;
  readonly body?: string;
  readonly status?: number;
  readonly answer: string;
}

type Receive = (response: IncomingMessage) => void;

/**
 * Answers DynamoDB's messages in this process, after a turn of the event loop. Without that turn, the timers that bound
 * each message would pile up and be most of what is measured. There is no socket and no TLS, only the sender's code.
 * @param answers for each message, the first that matches it
 */
export function stubNetwork(answers: readonly StubAnswer[]): void {
  const request = (...args: unknown[]) => {
    const options = args.find((arg) => typeof arg === 'object') as { headers: Record<string, string> };
    const operation = options.headers['x-amz-target']?.split('.')[1];
    return stubRequest(answers, operation, args.at(-1) as Receive);
  };
  // Loaded here and not before, so that a bundle's start includes loading them.
  for (const name of ['node:http', 'node:https'] as const) Object.assign(process.getBuiltinModule(name), { request });
}

function stubRequest(answers: readonly StubAnswer[], operation: string | undefined, receive: Receive) {
  const { EventEmitter } = process.getBuiltinModule('node:events');
  const { Readable } = process.getBuiltinModule('node:stream');
  const nothing = () => request;
  const end = (sent: string | Uint8Array) => {
    const body = typeof sent === 'string' ? sent : Buffer.from(sent.buffer, sent.byteOffset, sent.length).toString();
    const found = answers.find((each) => each.operation === operation && (!each.body || body.includes(each.body)));
    setImmediate(() => {
      // Thrown here, it ends the process, where the sender would take it for an outage.
      if (found === undefined) throw new Error(`The stub has no answer to ${operation} ${body}`);
      const response = new Readable({ read: () => undefined });
      const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-requestid': 'stub' };
      receive(Object.assign(response, { statusCode: found.status ?? 200, headers }) as unknown as IncomingMessage);
      response.push(found.answer);
      response.push(null);
      response.once('end', () => request.emit('close'));
    });
  };
  const socket = Object.assign(new EventEmitter(), { connecting: false, setKeepAlive: nothing, setTimeout: nothing });
  const members = { socket, end, setTimeout: nothing, destroy: nothing, setNoDelay: nothing };
  const request = Object.assign(new EventEmitter(), members);
  return request;
}
