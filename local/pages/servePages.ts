import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { printError } from '../../cli/print.ts';

/** Responds to a request for a page. @returns undefined if there is no such page */
export type ServePages = (message: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

const fromHere = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const read = (file: string) => () => readFile(file, 'utf8');

/**
 * Bundles a script or the style of the page `/app`, each time, in some 30 ms, so that a change shows when the page is
 * loaded again. esbuild is only loaded when somebody opens the page.
 */
async function bundleApp(entry: string): Promise<string> {
  const { build } = await import('esbuild');
  const entryPoints = [fromHere(`../../${entry}`)];
  const define = { 'process.env.NODE_ENV': '"development"' };
  const options = { bundle: true, format: 'esm', sourcemap: 'inline', write: false, logLevel: 'silent' } as const;
  const { outputFiles } = await build({ entryPoints, define, ...options });
  return outputFiles.map(({ text }) => text).join('');
}

const docs = ['text/html', read(fromHere('docs.html'))] as const;
const app = ['text/html', read(fromHere('../../page/index.html'))] as const;
/** For programs that read the pages: those that README lists, as they are. */
const readme = read(fromHere('../../README.md'));
const listed = (text: string) =>
  text.match(/^- .*\]\(docs\/.*/gm)?.map((line) => line.replace('](docs/', '](/docs/')) ?? [];
const pageNames = readdirSync(fromHere('../../docs')).filter((name) => name.endsWith('.md'));
const pages = Object.fromEntries(
  pageNames.map((name) => [`/docs/${name}`, ['text/markdown', read(fromHere(`../../docs/${name}`))]] as const),
);
const files = {
  ...pages,
  '/llms.txt': ['text/plain', async () => ['# Catalog service\n', ...listed(await readme())].join('\n')],
  '/docs': docs,
  '/docs/': docs,
  '/docs/docs.js': ['text/javascript', read(fromHere('docs.js'))],
  '/docs/swagger-ui.css': ['text/css', read(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui.css')))],
  '/docs/swagger-ui-bundle.js': [
    'text/javascript',
    read(fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'))),
  ],
  '/openapi.json': ['application/json', read(fromHere('../../openapi.json'))],
  '/app': app,
  '/app/': app,
  '/app/app.css': ['text/css', () => bundleApp('page/app.css')],
  '/app/app.js': ['text/javascript', () => bundleApp('page/app.tsx')],
  '/app/sheetWorker.js': ['text/javascript', () => bundleApp('client/import/sheetWorker.ts')],
  '/app/workbookWorker.js': ['text/javascript', () => bundleApp('client/import/workbookWorker.ts')],
} as const;

/** Swagger UI needs inline styles and `data:` images for its icons. The app creates no elements from strings. */
const policyOf = (file: (typeof files)[keyof typeof files]): string =>
  file === app
    ? "style-src 'self'; img-src data:; worker-src 'self'; trusted-types default; require-trusted-types-for 'script'"
    : "style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** A page contains a token, so it loads nothing from other sites and cannot be framed or read by them. */
const headersWith = (policy: string) => ({
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; script-src 'self'; ${policy}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
});

/** Protects against DNS rebinding: a name of another site can resolve to this machine, but then `Host` has that name. */
const localHost = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * Serves the OpenAPI document, a page to read it and try its operations, and the page `/app`.
 * @param token filled in on the pages
 */
export const servePages =
  (token: string): ServePages =>
  (message, response) => {
    const [path = ''] = (message.url ?? '').split('?');
    const host = message.headers.host ?? '';
    if (message.method !== 'GET' || !isPage(path) || !localHost.test(host)) return undefined;
    return send(response, path, host, token).catch((error) => {
      printError(`The page ${path} cannot be served:`, error);
      response.writeHead(500).end();
    });
  };

const isPage = (path: string): path is keyof typeof files => Object.hasOwn(files, path);

async function send(response: ServerResponse, path: keyof typeof files, host: string, token: string): Promise<void> {
  const file = files[path];
  const [type, content] = file;
  const text = await content();
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, ...headersWith(policyOf(file)) });
  response.end(complete(path, text, host, token));
}

/** Fills in the running service's token and address. */
function complete(path: keyof typeof files, text: string, host: string, token: string): string {
  if (files[path] === docs || files[path] === app) return text.replace('data-token=""', `data-token="${token}"`);
  if (path !== '/openapi.json') return text;
  const document = JSON.parse(text) as { servers: { description: string }[] };
  const servers = document.servers.map((server) => ({ ...server, url: `http://${host}` }));
  return JSON.stringify({ ...document, servers });
}
