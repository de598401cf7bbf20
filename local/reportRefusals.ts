import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { bearerToken, hasOwnToken, refusalReasons, type TokenRefusal } from '../lib/access/authorize.ts';
import { headerValues } from '../lib/http/headers.ts';
import { identityProvider } from '../lib/identity/identityProvider.ts';
import type { IdentitySettings } from '../lib/identity/identitySettings.ts';
import { CatalogError } from '../lib/item/errors.ts';

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
