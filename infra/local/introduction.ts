import { itemPath, routes } from '../../lib/http/routes.ts';
import type { RunningCatalog } from './startService.ts';

/**
 * What a person reads when the service has started.
 * @param catalog the running service
 * @param data the folder that keeps the data; undefined: they are in memory
 */
export function introduction({ url, tokens }: RunningCatalog, data: string | undefined): string {
  const demo = Object.entries(tokens).map(([name, token]) => `  ${name.padEnd(18)} ${token}`);
  return `The catalog service runs at ${url}${routes.createItem.path}

Create an item:

${curl(tokens.editor, routes.createItem.method, url + routes.createItem.path, '{"name":"Oak desk","value":499.9,"sku":"DESK-100"}')}

Update it (1 is the id of the first item; the answer to the create tells it):

${curl(tokens.editor, routes.updateItem.method, url + itemPath(1), '{"value":479.9,"metadata":{"color":"oak"}}')}

Tokens of the demo accounts:

${demo.join('\n')}

${data === undefined ? 'The data are in memory.' : `The data are in ${data}.`} Ctrl-C ends the service.`;
}

const curl = (token: string, method: string, url: string, body: string): string =>
  `  curl -i -X ${method} ${url} \\
    -H 'Authorization: Bearer ${token}' \\
    -H 'Content-Type: application/json' \\
    -d '${body}'`;
