import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { CommandError } from '../cli/print.ts';
import { usageError } from '../cli/program.ts';
import { settingsOf } from '../infra/environments.ts';
import { bearerToken, hasOwnToken, refusalReasons, type TokenRefusal } from '../lib/access/authorize.ts';
import { timeouts } from '../lib/catalog/timeouts.ts';
import { headerValues } from '../lib/http/headers.ts';
import { identityProvider } from '../lib/identity/identityProvider.ts';
import { type IdentitySettings, identitySettings } from '../lib/identity/identitySettings.ts';
import { fetchKeys, KeysUnavailable } from '../lib/identity/providerKeys.ts';
import { CatalogError } from '../lib/item/errors.ts';

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

/**
 * Reports on this machine why a token of the identity provider is refused, which callers do not learn. It verifies the
 * token once more.
 * @returns a listener for the authorizer's events
 */
export function reportRefusals(settings: IdentitySettings, printLine: (line: string) => void) {
  const provider = identityProvider(settings, { now: Date.now });
  const report = (refusal: TokenRefusal): undefined => void printLine(refusalText(refusal, settings));
  const reportError = (error: Error): void =>
    printLine(error instanceof CatalogError ? withoutCaller(settings) : `Refused: ${error.message}`);
  return async (event: unknown): Promise<void> => {
    const values = headerValues(event as APIGatewayRequestAuthorizerEvent, 'authorization');
    const token = bearerToken(values);
    if (token === undefined || hasOwnToken(values)) return;
    await provider.verify(token, report).catch(reportError);
  };
}

const refusalText = ({ reason, issuer, audience, keyId }: TokenRefusal, settings: IdentitySettings): string =>
  `Refused (${reason}): a token must be one that ${refusalReasons[reason]}. ` +
  `Its issuer: ${text(issuer)}, audience: ${text(audience)}, key: ${text(keyId)}. ` +
  `The settings: issuer ${text(settings.issuer)}, audience ${text(settings.audience)}.`;

const withoutCaller = ({ claims: { account, user } }: IdentitySettings): string =>
  `Refused: the token is valid, but names no account or no user of this service. The settings read the account from ${text(account)}, and the user from ${text(user)}.`;

const text = (value: unknown): string => JSON.stringify(value) ?? 'none';
