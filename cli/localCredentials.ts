/**
 * The SDK requires a region and credentials. The local engine accepts any, but DynamoDB Local keeps separate tables per
 * region and access key, so all clients of an engine must use the same ones.
 */
export const localEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
} as const;

/** The same for SDK clients. Values from the shell take precedence, because it may also name the engine. */
export function localClientConfig(shell: NodeJS.ProcessEnv = process.env) {
  const environment: NodeJS.ProcessEnv = { ...localEnvironment, ...shell };
  const {
    AWS_REGION: region = '',
    AWS_ACCESS_KEY_ID: accessKeyId = '',
    AWS_SECRET_ACCESS_KEY: secretAccessKey = '',
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  return { region, credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) } };
}

/**
 * Sets the same for this process, whose functions create clients of their own. Drops any profile, because it may prompt
 * for a login.
 */
export function setLocalCredentials(): void {
  delete process.env['AWS_PROFILE'];
  for (const [name, value] of Object.entries(localEnvironment)) process.env[name] ??= value;
}
