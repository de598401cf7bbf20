/**
 * What the SDK insists on and the local engine takes whatever it is. Region and key are the same for all that use one
 * engine, as some keep tables apart by them.
 */
export const localEnvironment = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
} as const;

/** Gives this process what it has not; the credentials of a profile might ask a person to log in. */
export function setLocalCredentials(): void {
  delete process.env['AWS_PROFILE'];
  for (const [name, value] of Object.entries(localEnvironment)) process.env[name] ??= value;
}
