import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';

/** What the local run takes from a synthesised CloudFormation template: all that a request can notice. */
export interface Deployment {
  readonly table: TableDefinition;
  readonly functions: readonly FunctionDefinition[];
  readonly api: ApiDefinition;
}

export interface TableDefinition {
  readonly schema: Omit<CreateTableCommandInput, 'TableName'>;
  /** The attribute that records expire by; undefined: none. */
  readonly expiryAttribute: string | undefined;
}

export interface FunctionDefinition {
  /** The logical id, which is the name of the function and of its source file. */
  readonly id: string;
  readonly arn: string;
  /** Name of the built file in the asset, without its ending. */
  readonly module: string;
  /** Name of the function that the module exports. */
  readonly entry: string;
  /** Folder of the built code, relative to the assembly. */
  readonly asset: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly environment: Readonly<Record<string, string>>;
}

export interface ApiDefinition {
  readonly id: string;
  readonly region: string;
  readonly accountId: string;
  readonly stage: string;
  /** Requests a second and requests at once; undefined: not limited. */
  readonly throttle: { readonly rate: number; readonly burst: number } | undefined;
  readonly binaryMediaTypes: readonly string[];
  readonly routes: readonly Route[];
  /** By response type, as `THROTTLED`. */
  readonly gatewayResponses: ReadonlyMap<string, GatewayResponseDefinition>;
}

export interface Route {
  readonly method: string;
  /** The path with its parameters, as `/items/{id}`. */
  readonly resource: string;
  readonly resourceId: string;
  readonly authorizer: AuthorizerDefinition | undefined;
  readonly integration: LambdaIntegration | MockIntegration;
}

/** The one variable of the gateway that a mock integration's headers may have here. */
export const requestIdVariable = 'context.requestId';

export interface LambdaIntegration {
  readonly type: 'AWS_PROXY';
  readonly function: FunctionDefinition;
  readonly timeoutMs: number;
}

/** An answer that API Gateway gives by itself, as to a browser's preflight. */
export interface MockIntegration {
  readonly type: 'MOCK';
  readonly status: number;
  /** Texts in quotes, or {@link requestIdVariable}. */
  readonly headers: readonly Header[];
}

export interface AuthorizerDefinition {
  readonly id: string;
  readonly type: 'REQUEST' | 'TOKEN';
  readonly function: FunctionDefinition;
  /** The headers that identify a caller; one that is missing or empty is refused without asking the function. */
  readonly identityHeaders: readonly string[];
  /** How long an answer holds for the same identity; 0: it is asked every time. */
  readonly cacheSeconds: number;
}

export interface GatewayResponseDefinition {
  /** Undefined: the status that API Gateway has for this type. */
  readonly status: number | undefined;
  /** Names, with a value in quotes or a variable such as `context.requestId`. */
  readonly headers: readonly Header[];
  /** The body, with variables such as `$context.requestId`; undefined: the gateway's own body. */
  readonly template: string | undefined;
}

export type Header = readonly [name: string, value: string];
