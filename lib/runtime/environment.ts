/** The functions' environment variables, which the stack sets. Only {@link readEnvironment} reads them. */
export const variables = {
  table: 'CATALOG_TABLE',
  /** Number of days for which changes are kept. */
  changeDays: 'CATALOG_CHANGE_DAYS',
  /** Origins whose pages may call the API, separated by commas. A single `*` allows any origin. */
  corsOrigins: 'CATALOG_CORS_ORIGINS',
  /** Address of a DynamoDB other than the region's own, such as the embedded engine. Empty on AWS. */
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
  /** The identity provider, or a list of them, as JSON. If unset, only tokens issued by this service are accepted. */
  identity: 'CATALOG_IDENTITY',
  /** Which share of the API's rate each account has, as JSON. If unset, there are no shares. */
  shares: 'CATALOG_SHARES',
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

/** `process.env`, or a substitute. */
export type Source = Readonly<Record<string, string | undefined>>;

/** @throws an error that names the variable if it is missing */
export function requiredVariable(source: Source, name: string): string {
  const value = source[name];
  if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
  return value;
}

/** An empty variable counts as missing. @throws an error that names the missing variable */
export function readEnvironment(source: Source) {
  const set: Source = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''));
  const accessKeyId = set[variables.accessKeyId];
  const secretAccessKey = set[variables.secretAccessKey];
  const sessionToken = set[variables.sessionToken];
  const hasCredentials = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    table: requiredVariable(set, variables.table),
    corsOrigins: requiredVariable(set, variables.corsOrigins).split(','),
    dynamodb: set[variables.dynamodb],
    /** As JSON. */
    identity: set[variables.identity],
    /** As JSON. */
    shares: set[variables.shares],
    /** Whether to log only 5xx responses, and batches with a row that failed so. Other requests then have no metrics. */
    errorsOnly: set[variables.logLevel] === 'ERROR',
    region: set[variables.region],
    credentials: hasCredentials
      ? { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
      : undefined,
  };
}

export type Environment = ReturnType<typeof readEnvironment>;
