import * as z from 'zod/mini';

/**
 * The functions' environment variables. The stack sets them, {@link readEnvironment} reads them, and no other code
 * names them.
 */
export const variables = {
  /** Name of the DynamoDB table. */
  table: 'CATALOG_TABLE',
  /** Number of days for which changes are kept. */
  changeDays: 'CATALOG_CHANGE_DAYS',
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
  /** Name of the parameter that holds the heartbeat's token. If unset, the heartbeat has none. */
  heartbeatToken: 'CATALOG_HEARTBEAT_TOKEN',
  /** The ARNs of the new versions to check before a deployment, as JSON by function. */
  versions: 'CATALOG_VERSIONS',
  /** Lambda sets it to the function's log level. At `ERROR`, successful requests are not logged. */
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

/** `process.env`, or a substitute. */
export type Source = Readonly<Record<string, string | undefined>>;

export interface Environment {
  readonly table: string;
  readonly corsOrigins: readonly string[];
  /** Undefined means the region's own DynamoDB. */
  readonly dynamodb: string | undefined;
  /** As JSON. Undefined means that there is no identity provider. */
  readonly identity: string | undefined;
  readonly errorsOnly: boolean;
  /** DynamoDB's region and the credentials. If undefined, the SDK finds them. */
  readonly region: string | undefined;
  readonly credentials: AwsCredentials | undefined;
}

/** @throws an error that names the variable if it is missing */
export function requiredVariable(source: Source, name: string): string {
  const { [name]: value } = source;
  if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
  return value;
}

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Reads a function's configuration.
 * @throws an error that names the missing variable
 */
export function readEnvironment(source: Source): Environment {
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
