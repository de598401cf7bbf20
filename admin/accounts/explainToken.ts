import { toCommandError } from '../../cli/commandError.ts';
import type { Caller } from '../../lib/access/caller.ts';
import { refusalReasons, type TokenRefusal } from '../../lib/access/refusal.ts';
import { readClaim } from '../../lib/identity/callerOf.ts';
import { identityProvider, ofIssuer } from '../../lib/identity/identityProvider.ts';
import type { IdentitySettings } from '../../lib/identity/identitySettings.ts';
import { parseToken } from '../../lib/identity/parseToken.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import type { Output } from '../adminProgram.ts';
import { columns } from '../columns.ts';

/** The checks of a token of the identity provider. */
const [, , ...checks] = Object.entries(refusalReasons);

/**
 * Explains what the settings of an identity provider make of a token, of several those of its issuer: each check, and the
 * claims that they name.
 * @throws CommandError if the provider's keys cannot be fetched
 */
export async function explainToken(
  providers: IdentitySettings | readonly IdentitySettings[],
  token: string,
): Promise<Output & { readonly caller: Caller | undefined }> {
  const settings = ofIssuer([providers].flat(), token);
  const refusals: TokenRefusal[] = [];
  const caller = await identityProvider(settings, { now: Date.now })
    .verify(token, (refusal) => void refusals.push(refusal))
    .catch((error: Error) =>
      error instanceof CatalogError ? undefined : toCommandError(error.message)(error.cause as Error),
    );
  const [refusal] = refusals;
  const failed = refusal === undefined ? checks.length : checks.findIndex(([reason]) => reason === refusal.reason);
  const stateOf = (index: number) => (index < failed ? 'ok' : index === failed ? 'FAILED' : 'skipped');
  const results = checks.map(([, check], index) => ({ result: stateOf(index), check }));
  const { header, claims = {} } = parseToken(token) ?? {};
  const found = Object.entries(settings.claims).map(([use, claim]) => {
    return { use, claim, value: readClaim(claims, claim) };
  });
  const json = (value: unknown) => JSON.stringify(value) ?? 'missing';
  const granted =
    caller === undefined
      ? 'no account, or a user without a name, or with one like operator'
      : `permissions: ${caller.permissions.join(' ')}`;
  const text = [
    columns(results.map(({ result, check }) => [result, check])),
    columns([
      ['settings', `issuer ${settings.issuer}, audience ${[settings.audience].flat().join(' or ')}`],
      ['header', json(header)],
      ['claims', json(claims)],
      ...found.map(({ use, claim, value }) => [use, `${[claim].flat().join(' > ')}: ${json(value)}`]),
      ['result', refusal?.reason ?? granted],
    ]),
  ].join('\n\n');
  return { text, data: { results, refusal, found, caller }, caller };
}
