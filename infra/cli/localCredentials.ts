/**
 * The SDK requires a region and credentials. The local engine accepts any, but DynamoDB Local keeps separate tables for
 * each region and access key, so everything that uses one engine must use the same.
 */
export const localEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
} as const;

/**
 * Region and credentials for SDK clients of the local engine. The shell's own values win, since the shell may also name
 * the engine.
 */
export function localClientConfig(own: NodeJS.ProcessEnv = process.env) {
  const environment: NodeJS.ProcessEnv = { ...localEnvironment, ...own };
  const {
    AWS_REGION: region = '',
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  return { region, credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) } };
}

/**
 * Gives this process the same region and credentials, for code that creates its own clients as the functions do. A
 * profile is dropped, because it may ask a person to log in.
 */
export function setLocalCredentials(): void {
  delete process.env['AWS_PROFILE'];
  for (const [name, value] of Object.entries(localEnvironment)) process.env[name] ??= value;
}
