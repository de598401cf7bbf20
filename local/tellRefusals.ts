import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { hasOwnToken } from '../lib/access/authorize.ts';
import { refusalReasons, type TokenRefusal } from '../lib/access/refusal.ts';
import { headerValues } from '../lib/http/headers.ts';
import { identityProvider } from '../lib/identity/identityProvider.ts';
import type { IdentitySettings } from '../lib/identity/identitySettings.ts';

/**
 * Tells on this machine why a token of the identity provider is refused, which callers are not told. It verifies the
 * token once more.
 * @returns what takes each event of the authorizer
 */
export function tellRefusals(settings: IdentitySettings, printLine: (line: string) => void) {
  const provider = identityProvider(settings, { now: Date.now });
  const tell = ({ reason }: TokenRefusal): undefined =>
    void printLine(`Refused (${reason}): a token must be one that ${refusalReasons[reason]}. ${more}`);
  return async (event: unknown): Promise<void> => {
    const values = headerValues(event as APIGatewayRequestAuthorizerEvent, 'authorization');
    const [, token] = /^Bearer +(\S+)$/i.exec(values[0] ?? '') ?? [];
    if (token === undefined || hasOwnToken(values)) return;
    await provider.verify(token, tell).catch(({ message }: Error) => printLine(`Refused: ${message} ${more}`));
  };
}

const more = 'For each check: npm run admin -- token explain';
