import * as z from 'zod/mini';

/**
 * The functions' environment variables. The stack sets them, {@link readEnvironment} reads them, and no other code
 * names them.
 */
export const variables = {
  /** Name of the DynamoDB table. */
  table: 'CATALOG_TABLE',
  /** Origins whose pages may call the API, separated by commas. A single `*` allows any origin. */
  corsOrigins: 'CATALOG_CORS_ORIGINS',
  /** Address of a DynamoDB other than the region's own, such as the embedded engine. Empty on AWS. */
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  /**
   * The identity provider whose access tokens the authorizer accepts, as JSON. If unset, only tokens issued by this
   * service are accepted.
   */
  identity: 'CATALOG_IDENTITY',
  /** The API's address, for the heartbeat. */
  url: 'CATALOG_URL',
  /** Lambda sets it to the function's log level. At `ERROR`, successful requests are not logged. */
  logLevel: 'AWS_LAMBDA_LOG_LEVEL',
} as const;

const schema = z.object({
  [variables.table]: z.string().check(z.minLength(1)),
  [variables.corsOrigins]: z.string().check(z.minLength(1)),
  [variables.dynamodb]: z.optional(z.string()),
  [variables.identity]: z.optional(z.string()),
  [variables.logLevel]: z.optional(z.string()),
});

export interface Environment {
  readonly table: string;
  readonly corsOrigins: readonly string[];
  /** Undefined means the region's own DynamoDB. */
  readonly dynamodb: string | undefined;
  /** As JSON. Undefined means that there is no identity provider. */
  readonly identity: string | undefined;
  readonly errorsOnly: boolean;
}

/**
 * Reads a function's configuration.
 * @param source `process.env`, or a substitute
 * @throws an error that names the missing variable
 */
export function readEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  const parsed = schema.safeParse(source);
  if (!parsed.success) throw new Error(`The environment variable ${parsed.error.issues[0]?.path.join('.')} is not set`);
  return {
    table: parsed.data[variables.table],
    corsOrigins: parsed.data[variables.corsOrigins].split(','),
    dynamodb: parsed.data[variables.dynamodb] || undefined,
    identity: parsed.data[variables.identity] || undefined,
    errorsOnly: parsed.data[variables.logLevel] === 'ERROR',
  };
}
