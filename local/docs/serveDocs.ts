import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

/** Responds to a request for a page. @returns undefined if there is no such page */
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
  '/openapi.json': ['application/json', fromHere('../../openapi.json')],
} as const;

/**
 * The page contains a token, so it loads nothing from other sites and cannot be framed or read by them. Swagger UI
 * needs inline styles and `data:` images for its icons.
 */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Protects against DNS rebinding: a name of another site can resolve to this machine, but then `Host` has that name.
 */
const localHost = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * Serves the OpenAPI document, and a page to read it and try its operations.
 * @param token filled in on the page
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

/** Fills in the running service's token and address. */
function complete(path: keyof typeof files, text: string, host: string, token: string): string {
  if (files[path] === page) return text.replace('{token}', token);
  if (path !== '/openapi.json') return text;
  const document = JSON.parse(text) as { servers: { description: string }[] };
  const servers = document.servers.map((server) => ({ ...server, url: `http://${host}` }));
  return JSON.stringify({ ...document, servers });
}
