import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

/** Answers a request for one of its pages. @returns undefined when it has no such page */
export type ServePages = (message: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

const fromHere = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const page = ['text/html', fromHere('docs.html')] as const;
const files = {
  '/docs': page,
  '/docs/': page,
  '/docs/docs.js': ['text/javascript', fromHere('docs.js')],
  '/docs/swagger-ui.css': ['text/css', fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css'))],
  '/docs/swagger-ui-bundle.js': [
    'text/javascript',
    fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  ],
  '/openapi.json': ['application/json', fromHere('../../../openapi.json')],
} as const;

/**
 * Nothing from elsewhere, and nobody else's page: the token in the page is not for other sites. Swagger UI sets styles
 * in its elements and has its icons in its stylesheet.
 */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** A page of another site can be given a name that leads here; then the request names that site as its host. */
const localHost = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * Serves the OpenAPI document, and a page that shows it and tries its operations.
 * @param token is filled in for whoever opens the page
 */
export const serveDocs =
  (token: string): ServePages =>
  (message, response) => {
    const [path = ''] = (message.url ?? '').split('?');
    const host = message.headers.host ?? '';
    if (message.method !== 'GET' || !isPage(path) || !localHost.test(host)) return undefined;
    return send(response, path, host, token);
  };

const isPage = (path: string): path is keyof typeof files => Object.hasOwn(files, path);

async function send(response: ServerResponse, path: keyof typeof files, host: string, token: string): Promise<void> {
  const [type, file] = files[path];
  const text = await readFile(file, 'utf8');
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...headers });
  response.end(complete(path, text, host, token));
}

/** Fills in what only the running service knows: its token, and its address. */
function complete(path: keyof typeof files, text: string, host: string, token: string): string {
  if (files[path] === page) return text.replace('{token}', token);
  if (path !== '/openapi.json') return text;
  const document = JSON.parse(text) as { servers: { description: string }[] };
  const servers = document.servers.map((server) => ({ ...server, url: `http://${host}` }));
  return JSON.stringify({ ...document, servers });
}
