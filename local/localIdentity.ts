import { CommandError } from '../cli/print.ts';
import { usageError } from '../cli/program.ts';
import { settingsOf } from '../infra/environments.ts';
import { timeouts } from '../lib/catalog/timeouts.ts';
import { type IdentitySettings, identitySettings } from '../lib/identity/identitySettings.ts';
import { fetchKeys, KeysUnavailable } from '../lib/identity/providerKeys.ts';

interface ProviderOptions {
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  readonly permissions?: string[] | undefined;
}

/**
 * The identity provider given on the command line of the local service. What is not given there is taken from the
 * settings of `dev`, of the same issuer if there are several.
 * @returns undefined if none is given
 * @throws CommandError if an option is missing or invalid
 */
export function parseIdentity({ issuer, audience, permissions }: ProviderOptions): IdentitySettings | undefined {
  if (issuer === undefined && audience === undefined && permissions === undefined) return undefined;
  if (issuer === undefined || audience === undefined)
    throw usageError("Options '--issuer' and '--audience' must be given together");
  const known = [settingsOf('dev').identity ?? []].flat();
  const { jwksUri, claims, ...others } = known.find((one) => one.issuer === issuer) ?? {
    ...known[0],
    jwksUri: undefined,
  };
  const parsed = identitySettings.safeParse({
    ...{ ...others, jwksUri, issuer, audience },
    claims: { ...claims, ...(permissions !== undefined && { permissions }) },
  });
  if (parsed.success) return parsed.data;
  const { path: [name, , place] = [], message } = parsed.error.issues[0] ?? {};
  const option = name === 'claims' ? 'permissions' : String(name);
  throw usageError(`Option '--${option}' ${name === 'audience' || place !== undefined ? 'needs a name' : message}`);
}

/**
 * Fetches an identity provider's keys, so that a mistyped issuer is reported at startup, not with the first token.
 * @throws CommandError that says why the provider cannot be used
 */
export async function requireKeys(provider: IdentitySettings): Promise<void> {
  try {
    await fetchKeys(provider, timeouts.identityKeys);
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error;
    const { message, code } = error.cause as NodeJS.ErrnoException;
    // If a name has several addresses, Node's error aggregates the failures and has no message.
    throw new CommandError(`The identity provider ${provider.issuer} cannot be used: ${message || code}.`);
  }
}
