import { CommandError } from '../cli/commandError.ts';
import { usageError } from '../cli/options.ts';
import { settingsOf } from '../infra/environments.ts';
import { timeouts } from '../lib/catalog/timeouts.ts';
import { fetchKeys, KeysUnavailable } from '../lib/identity/fetchKeys.ts';
import { type IdentitySettings, identitySettings } from '../lib/identity/identitySettings.ts';

/**
 * The identity provider given on the command line of the local service. Its claims are read as in the settings of
 * `dev`.
 * @returns undefined if none is given; then the one of `dev` is used, if there is one
 * @throws CommandError if one of the two options is missing or invalid
 */
export function parseIdentity(options: {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}): IdentitySettings | undefined {
  const { issuer, audience } = options;
  if (issuer === undefined && audience === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw usageError("Options '--issuer' and '--audience' must be given together");
  const parsed = identitySettings.safeParse({ ...settingsOf('dev').identity, issuer, audience });
  if (parsed.success) return parsed.data;
  const { path = [], message } = parsed.error.issues[0] ?? {};
  throw usageError(`Option '--${path.join('.')}' ${path[0] === 'issuer' ? message : 'needs a name'}`);
}

/**
 * Fetches an identity provider's keys, so that a mistyped issuer is reported at startup instead of with the first
 * token.
 * @throws CommandError that says why the provider cannot be used
 */
export async function requireKeys({ issuer }: IdentitySettings): Promise<void> {
  try {
    await fetchKeys(issuer, timeouts.identityKeys);
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    const { message, code } = error.cause as NodeJS.ErrnoException;
    // If a name has several addresses, Node's error aggregates the failures and has no message.
    throw new CommandError(`The identity provider ${issuer} cannot be used: ${message || code}.`);
  }
}
