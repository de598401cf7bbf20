import * as z from 'zod/mini';

/**
 * The environment variables of the functions, by meaning. The stack sets them, {@link readEnvironment} reads them, and
 * nothing else names them.
 */
export const variables = {
  /** Name of the DynamoDB table. */
  table: 'CATALOG_TABLE',
  /** Origins whose pages may call the API, separated by commas; `*` alone: any. */
  corsOrigins: 'CATALOG_CORS_ORIGINS',
  /** Address of another DynamoDB than the region's own, such as the embedded engine; empty on AWS. */
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  /** The identity provider whose access tokens the authorizer takes, as JSON; not there: only tokens of ours. */
  identity: 'CATALOG_IDENTITY',
  /** The API's address, for the heartbeat. */
  url: 'CATALOG_URL',
  /** Lambda sets it to the function's log level; only at `ERROR` is a request that went well not logged. */
  logLevel: 'AWS_LAMBDA_LOG_LEVEL',
  /** Lambda sets these too. They stay the same as long as a container lives. */
  region: 'AWS_REGION',
  accessKeyId: 'AWS_ACCESS_KEY_ID',
  secretAccessKey: 'AWS_SECRET_ACCESS_KEY',
  sessionToken: 'AWS_SESSION_TOKEN',
} as const;

const schema = z.object({
  [variables.table]: z.string().check(z.minLength(1)),
  [variables.corsOrigins]: z.string().check(z.minLength(1)),
  [variables.dynamodb]: z.optional(z.string()),
  [variables.identity]: z.optional(z.string()),
  [variables.logLevel]: z.optional(z.string()),
  [variables.region]: z.optional(z.string()),
  [variables.accessKeyId]: z.optional(z.string()),
  [variables.secretAccessKey]: z.optional(z.string()),
  [variables.sessionToken]: z.optional(z.string()),
});

export interface Environment {
  readonly table: string;
  readonly corsOrigins: readonly string[];
  /** Undefined: the region's own DynamoDB. */
  readonly dynamodb: string | undefined;
  /** As JSON; undefined: there is none. */
  readonly identity: string | undefined;
  readonly errorsOnly: boolean;
  /** Where DynamoDB is, and who asks it; undefined: for the SDK to find out. */
  readonly region: string | undefined;
  readonly credentials: AwsCredentials | undefined;
}

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * What a function must know about where it runs.
 * @param source `process.env`, or its like
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
    region: parsed.data[variables.region],
    credentials: credentialsOf(parsed.data),
  };
}

function credentialsOf(values: z.output<typeof schema>): AwsCredentials | undefined {
  const {
    [variables.accessKeyId]: accessKeyId,
    [variables.secretAccessKey]: secretAccessKey,
    [variables.sessionToken]: sessionToken,
  } = values;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
}
