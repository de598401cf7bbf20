/**
 * Gives the SDK what it insists on and the local engine takes whatever it is; the credentials of a profile might ask a
 * person to log in. The region and the key are the same for all that use one engine, as some keep tables apart by them.
 */
export function setLocalCredentials(): void {
  delete process.env['AWS_PROFILE'];
  process.env['AWS_REGION'] ??= 'us-east-1';
  process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
}
