import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import openApi from '../../../openapi.json' with { type: 'json' };
import { startTestApi } from '../../support/api/testApi.ts';

const api = await startTestApi();

const get = (path: string, host = new URL(api.url).host, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const outgoing = request(api.url + path, { method, headers: { host } }, async (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }),
    );
    outgoing.on('error', reject).end();
  });

const pages = [
  ['/docs', 'text/html'],
  ['/docs/', 'text/html'],
  ['/docs/docs.js', 'text/javascript'],
  ['/docs/swagger-ui.css', 'text/css'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript'],
  ['/openapi.json', 'application/json'],
  ['/llms.txt', 'text/plain'],
  ['/docs/api.md', 'text/markdown'],
  ['/docs/frontend.md', 'text/markdown'],
  ['/app', 'text/html'],
  ['/app/', 'text/html'],
  ['/app/app.css', 'text/css'],
  ['/app/app.js', 'text/javascript'],
  ['/app/sheetWorker.js', 'text/javascript'],
  ['/app/workbookWorker.js', 'text/javascript'],
] as const;

describe('the local service', () => {
  it.each(pages)('serves %s as %s, to its own origin only', async (path, type) => {
    const { status, headers } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .* frame-ancestors 'none'$/);
  });

  it('fills in the token of the demo editor', async () => {
    expect((await get('/docs')).body).toContain(`data-token="${api.tokens.editor}"`);
    expect((await get('/app')).body).toContain(`data-token="${api.tokens.editor}"`);
  });

  it('serves the example with its own style and scripts only, bundled with the client', async () => {
    const { body, headers } = await get('/app');
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'; ");
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(body).not.toMatch(/ style=| on\w+=|https?:/);
    const { body: script } = await get('/app/app.js');
    expect(script).toContain('/api/v1/api/v1/items');
    expect(script).not.toMatch(/^import /m);
  });

  it('serves the OpenAPI document with its own address', async () => {
    const [server] = openApi.servers;
    expect(JSON.parse((await get('/openapi.json')).body)).toEqual({
      ...openApi,
      servers: [{ ...server, url: api.url }],
    });
    const { servers } = JSON.parse((await get('/openapi.json', 'localhost:3000')).body);
    expect(servers[0].url).toBe('http://localhost:3000');
  });

  it.each([
    ['/docs', 'shop.example', 'GET'],
    ['/docs', 'localhost.example', 'GET'],
    ['/docs', 'localhost', 'POST'],
    ['/docs/index.html', 'localhost', 'GET'],
    ['/docs/../package.json', 'localhost', 'GET'],
    ['/toString', 'localhost', 'GET'],
  ])('serves no page at %s of %s for %s', async (path, host, method) => {
    const { status, body } = await get(path, host, method);
    expect([status, JSON.parse(body).error.code]).toEqual([404, 'NOT_FOUND']);
  });
});
