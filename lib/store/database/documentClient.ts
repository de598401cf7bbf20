import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** A record as the document client gives it: plain values, but perhaps not what this service has written. */
export type StoredRecord = Readonly<Record<string, unknown>>;

/** Numbers as JavaScript has them, also integers past 2^53 - 1, which the default refuses to read. */
export const unmarshallOptions = { wrapNumbers: Number };

/**
 * The client that takes and gives records as plain objects. By its defaults it would throw on a metadata key named
 * `constructor`, and on integers past 2^53 - 1. It would drop a key named `__proto__`, which the API refuses.
 */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  // Nothing logs here, but this middleware prepares every message for a log: a tenth of the CPU time of a request.
  client.middlewareStack.remove('loggerMiddleware');
  const sending = DynamoDBDocumentClient.from(client, {
    marshallOptions: { convertClassInstanceToMap: true, allowImpreciseNumbers: true },
    // A copy, because the document client adds a member of its own, with which `unmarshall` takes other input.
    unmarshallOptions: { ...unmarshallOptions },
  });
  return Object.assign(sending, { send: sendThroughKeptHandlers(sending) });
}

/** The members of a document command that are not public: the command that it sends, and what translates its records. */
interface DocumentCommand {
  readonly clientCommand: { resolveMiddleware(stack: unknown, config: unknown, options: undefined): Handler };
  addMarshallingMiddleware(config: unknown): void;
}

type Handler = (command: unknown) => Promise<{ readonly output: object }>;

const isDocumentCommand = (command: object): command is DocumentCommand => 'clientCommand' in command;

/**
 * Puts the middleware together once for each kind of command and not for each message, which would be a sixth of the CPU
 * time that the SDK takes. `cacheMiddleware` of the plain client does the same, but the document client refuses it.
 * @returns a `send` that does so for the document client's commands without options
 */
function sendThroughKeptHandlers(client: DynamoDBDocumentClient): DynamoDBDocumentClient['send'] {
  const usual = client.send.bind(client) as (command: object, options?: object) => Promise<object>;
  const handlers = new Map<unknown, Handler>();
  const newHandler = (command: DocumentCommand): Handler => {
    command.addMarshallingMiddleware(client.config);
    const handler = command.clientCommand.resolveMiddleware(client.middlewareStack, client.config, undefined);
    handlers.set(command.constructor, handler);
    return handler;
  };
  const send = async (command: object, options?: object): Promise<object> => {
    if (options !== undefined || !isDocumentCommand(command)) return usual(command, options);
    const handler = handlers.get(command.constructor) ?? newHandler(command);
    return (await handler(command.clientCommand)).output;
  };
  return send as DynamoDBDocumentClient['send'];
}
