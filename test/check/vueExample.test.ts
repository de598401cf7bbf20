import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { type HTMLInputElement, Window } from 'happy-dom';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createItem } from '../../client/items/createItem.ts';
import { loadItem } from '../../client/items/readItems.ts';
import { startOwnService, stop } from '../support/programs/ownService.ts';
import { blocks, page } from '../support/programs/pages.ts';
import { root } from '../support/programs/program.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

const [example = ''] = blocks(page('docs/frontend.md'), 'vue');
const { resolve } = createRequire(`${root}package.json`);

/** Compiles the component as Vite would. @returns it, and what a page needs besides */
async function compileComponent(folder: string) {
  const { parse, compileScript } = await import(pathToFileURL(resolve('vue/compiler-sfc')).href);
  const { descriptor, errors } = parse(example);
  expect(errors).toEqual([]);
  const { content } = compileScript(descriptor, { id: 'example', inlineTemplate: true });
  const outfile = join(folder, 'example.mjs');
  const contents = `${content}
    export { createCatalogClient, loadCatalog } from 'catalog-client';
    export { createApp } from 'vue';`;
  await build({
    stdin: { contents, resolveDir: `${root}page`, loader: 'ts' },
    ...{ bundle: true, format: 'esm', outfile, logLevel: 'error' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return import(pathToFileURL(outfile).href);
}

it("the page's form in Vue lists, opens and saves an item, says what is wrong, and ends what it has begun", async () => {
  const folder = temporaryFolder();
  const { child, service } = await startOwnService(folder, '0');
  onTestFinished(() => stop(child, 'SIGTERM'));
  const window = new Window({ url: service.url });
  onTestFinished(() => void vi.unstubAllGlobals());
  for (const name of ['document', 'Element', 'SVGElement', 'HTMLElement', 'ShadowRoot'] as const)
    vi.stubGlobal(name, window[name]);
  vi.stubGlobal('window', window);
  vi.stubGlobal('sessionStorage', memoryStorage());
  const { default: Component, createApp, createCatalogClient, loadCatalog } = await compileComponent(folder);
  const sent: Request[] = [];
  const client = createCatalogClient({
    baseUrl: service.url,
    getAccessToken: async () => service.tokens.editor,
    fetch: (request: Request) => {
      sent.push(request);
      return fetch(request);
    },
  });
  const catalog = await loadCatalog(client);
  const { id } = await createItem(client, { name: 'Oak desk', value: 499.9 }, { catalog, storage: undefined });
  const { body } = window.document;
  const app = createApp(Component, { client, catalog });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  app.mount(body);

  const shows = (text: string) => vi.waitUntil(() => body.textContent.includes(text), { timeout: 60_000 });
  const input = (index: number) => body.querySelectorAll('label input')[index] as HTMLInputElement;
  const type = (text: string) => {
    input(1).value = text;
    input(1).dispatchEvent(new window.Event('input'));
  };
  await shows('Oak desk');
  body.querySelector('button')?.click();
  await vi.waitUntil(() => input(0).value === 'Oak desk', { timeout: 60_000 });
  type('x');
  await shows('Type a number, such as 1299.50.');
  type('12,50');
  body.querySelector('form')?.requestSubmit();
  await shows('saved');
  expect((await loadItem(client, id))?.value).toBe(12.5);

  const asked = sent.length;
  await vi.waitUntil(() => vi.advanceTimersByTimeAsync(10_000).then(() => sent.length > asked), { timeout: 60_000 });
  app.unmount();
  await setImmediate();
  const last = sent.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent.length).toBe(last);
});
