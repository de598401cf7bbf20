import type { LocalService } from '../cli/localService.ts';
import { itemPath, operations } from '../lib/http/operations.ts';
import type { IdentitySettings } from '../lib/identity/identitySettings.ts';

/**
 * The text that `npm start` prints once the service is running.
 * @param data the data folder; undefined if data is kept until the service stops
 * @param identity the identity provider given on the command line, if any
 */
export function startupMessage(
  { url, tokens }: LocalService,
  data: string | undefined,
  identity: IdentitySettings | undefined,
): string {
  const { createItem, updateItem } = operations;
  const demo = Object.entries(tokens).map(([name, token]) => `  ${name.padEnd(18)} ${token}`);
  return `The catalog service is running at ${url}${createItem.path}
See it in use at ${url}/app, and try each operation at ${url}/docs (OpenAPI document: ${url}/openapi.json)

Create an item:

${curl(tokens.editor, createItem.method, url + createItem.path, '{"name":"Oak desk","value":499.9,"sku":"DESK-100"}')}

Update it (its id is in the response above; the first item has id 1):

${curl(tokens.editor, updateItem.method, url + itemPath(1), '{"value":479.9,"metadata":{"color":"oak"}}')}

Tokens of the demo accounts:

${demo.join('\n')}
${identity === undefined ? '' : provider(identity)}
${data === undefined ? 'Data is kept until the service stops.' : `Data is kept in ${data}.`} Press Ctrl-C to stop the service.`;
}

const provider = ({ issuer, audience, claims }: IdentitySettings): string => `
Access tokens of ${issuer} for ${name(audience, ' or ')} are also accepted. They must name the account, demo-1 or
demo-2, in the claim ${name(claims.account)}, the user in ${name(claims.user)} and the permissions in ${name(claims.permissions)}.
`;

const name = (names: string | readonly string[], separator = '.'): string => [names].flat().join(separator);

const curl = (token: string, method: string, url: string, body: string): string =>
  `  curl -i -X ${method} ${url} \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'`;
