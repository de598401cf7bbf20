import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../database/database.ts';
import { unmarshallOptions } from '../database/record.ts';
import { httpHandler } from './httpHandler.ts';

/** Where a table is, and how to sign requests to it. The SDK determines what is undefined. */
export interface TableLocation {
  readonly table: string;
  /** The address of DynamoDB. */
  readonly dynamodb?: string | undefined;
  readonly region?: string | undefined;
  readonly credentials?: DynamoDBClientConfig['credentials'];
}

/** A client that sends each request once, because the store retries, and limits the time of the whole exchange. */
export function connect(location: Omit<TableLocation, 'table'>): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ ...clientConfig(location), maxAttempts: 1, requestHandler: httpHandler() });
  // The request handler sets the header instead, which saves 4 % of an update's CPU time.
  client.middlewareStack.remove('getUserAgentMiddleware');
  return documentClient(client);
}

/** The location in the SDK's terms. */
export const clientConfig = ({
  dynamodb,
  region,
  credentials,
}: Omit<TableLocation, 'table'>): DynamoDBClientConfig => ({
  ...(dynamodb !== undefined && { endpoint: dynamodb }),
  ...(region !== undefined && { region }),
  ...(credentials !== undefined && { credentials }),
});

/** Opens a table, once for each container or command. */
export const openDatabase = (location: TableLocation): Database => new Database(connect(location), location.table);

/**
 * The client that accepts and returns records as plain objects. With its defaults, it would throw on a metadata key
 * named `constructor`, and on integers above 2^53 - 1. It drops a key named `__proto__`, but the API rejects that.
 */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  // No logger is set, but this middleware copies every response for one: 5 % of an update's CPU time, 13 % of a list's.
  client.middlewareStack.remove('loggerMiddleware');
  const sending = DynamoDBDocumentClient.from(client, {
    marshallOptions: { convertClassInstanceToMap: true, allowImpreciseNumbers: true },
    // A copy, because the document client adds an option to this object that would change what `unmarshall` expects.
    unmarshallOptions: { ...unmarshallOptions },
  });
  return Object.assign(sending, { send: sendWithCachedHandlers(sending) });
}

/** Members of a document command that are not public: the command that it sends, and what converts its records. */
interface DocumentCommand {
  readonly clientCommand: { resolveMiddleware(stack: unknown, config: unknown, options: undefined): Handler };
  addMarshallingMiddleware(config: unknown): void;
}

type Handler = (command: unknown) => Promise<{ readonly output: object }>;

const isDocumentCommand = (command: object): command is DocumentCommand => 'clientCommand' in command;

/**
 * Resolves the middleware once for each kind of command. Resolving it for each request would take 4 % of an
 * update's CPU time. The plain client's `cacheMiddleware` does the same, but the document client does not support it.
 * @returns a `send` that does this for the document client's commands without options
 */
function sendWithCachedHandlers(client: DynamoDBDocumentClient): DynamoDBDocumentClient['send'] {
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
