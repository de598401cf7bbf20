import { timeouts } from '../../lib/catalog/timeouts.ts';
import { fetchKeys, KeysUnavailable } from '../../lib/identity/fetchKeys.ts';
import { type IdentitySettings, identitySettings } from '../../lib/identity/identitySettings.ts';
import { usageError } from '../cli/arguments.ts';
import { CommandError } from '../cli/commandError.ts';
import { settingsOf } from '../environments.ts';

/**
 * The identity provider that a person names for the local service. What its claims mean is as in the settings of `dev`.
 * @returns undefined when they name none; then the one of `dev` counts, if it has one
 * @throws CommandError when one of the two options is missing or wrong
 */
export function givenIdentity(options: {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
}): IdentitySettings | undefined {
  const { issuer, audience } = options;
  if (issuer === undefined && audience === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw usageError("Options '--issuer' and '--audience' need each other");
  const parsed = identitySettings.safeParse({ ...settingsOf('dev').identity, issuer, audience });
  if (parsed.success) return parsed.data;
  const { path = [], message } = parsed.error.issues[0] ?? {};
  throw usageError(`Option '--${path.join('.')}' ${path[0] === 'issuer' ? message : 'needs a name'}`);
}

/**
 * Asks an identity provider for its keys, so that a mistyped issuer is told at once and not by the first token.
 * @throws CommandError that says why it cannot be used
 */
export async function requireKeys({ issuer }: IdentitySettings): Promise<void> {
  try {
    await fetchKeys(issuer, timeouts.identityKeys);
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    const { message, code } = error.cause as NodeJS.ErrnoException;
    // Where an address has several, Node joins what failed for each, without a message.
    throw new CommandError(`The identity provider ${issuer} cannot be used: ${message || code}.`);
  }
}
