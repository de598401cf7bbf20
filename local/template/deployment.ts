/** What the local service reads from a CloudFormation template: everything that affects requests. */
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { TableStatement } from './readRoles.ts';

export interface TableDefinition {
  readonly schema: Omit<CreateTableCommandInput, 'TableName'>;
  /** The time-to-live attribute. Undefined means that records do not expire. */
  readonly expiryAttribute: string | undefined;
  /** Undefined means that there is no stream. */
  readonly stream: 'NEW_AND_OLD_IMAGES' | undefined;
}

export interface FunctionDefinition {
  /** The logical id, which is also the name of the source file. */
  readonly id: string;
  readonly arn: string;
  /** Name of the bundle in the asset, without its extension. */
  readonly module: string;
  readonly entry: string;
  /** Folder of the bundle in the cloud assembly. */
  readonly asset: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
  /** What its role allows and denies. */
  readonly tableStatements: readonly TableStatement[];
}

export interface ApiDefinition {
  readonly id: string;
  readonly region: string;
  readonly accountId: string;
  readonly stage: string;
  readonly binaryMediaTypes: readonly string[];
  /** In bytes. Undefined means that responses are not compressed. */
  readonly minimumCompressionSize: number | undefined;
  readonly routes: readonly Route[];
  /** By response type, such as `UNAUTHORIZED`. */
  readonly gatewayResponses: ReadonlyMap<string, StaticResponse>;
}

export interface Route {
  /** `ANY` matches all methods that the resource does not define. */
  readonly method: string;
  /** The path with its parameters, for example `/items/{id}`. */
  readonly resource: string;
  readonly resourceId: string;
  readonly authorizer: AuthorizerDefinition | undefined;
  readonly integration: ProxyIntegration | MockIntegration;
}

/** The only variable that headers may use here. */
export const requestIdVariable = 'context.requestId';

export interface ProxyIntegration {
  readonly type: 'AWS_PROXY';
  readonly function: FunctionDefinition;
  readonly timeoutMs: number;
}

/** A response that is defined in the template. */
export interface StaticResponse {
  /** Undefined means API Gateway's own, 200 if no error. */
  readonly status: number | undefined;
  /** Values are quoted texts, or {@link requestIdVariable}. */
  readonly headers: readonly Header[];
  /** JSON without variables. Undefined means API Gateway's own for an error, and otherwise none. */
  readonly body: string | undefined;
}

/** A response without a function, such as the one to a preflight request. */
export interface MockIntegration extends StaticResponse {
  readonly type: 'MOCK';
  /** The media types of requests that it accepts. Undefined means any. */
  readonly mediaTypes: readonly string[] | undefined;
}

export interface AuthorizerDefinition {
  readonly id: string;
  readonly function: FunctionDefinition;
  /**
   * The headers that identify a caller. If one is missing or empty, the request is rejected without invoking the
   * function.
   */
  readonly identityHeaders: readonly string[];
  /** How long a result is cached for the same identity. 0 means not at all. */
  readonly cacheSeconds: number;
}

export type Header = readonly [name: string, value: string];

/** A header with its value for a request. */
export const valued =
  (requestId: string) =>
  ([name, value]: Header): Header => [name, value === requestIdVariable ? requestId : value.slice(1, -1)];
