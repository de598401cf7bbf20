import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { get, list, update } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { blocks, page } from '../support/programs/pages.ts';
import { temporaryFolder } from '../support/programs/program.ts';
import { pythonPackage } from '../support/programs/pythonPackage.ts';

const api = await startTestApi({ recordsChanges: true });

/** Passes requests on, but loses the answers to these batches, counted from 0, until somebody has written meanwhile. */
async function startProxy(lost: readonly number[], meanwhile: (skus: string[]) => Promise<void>) {
  let batches = 0;
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const body = method === 'POST' ? await buffer(request) : null;
    const place = body === null ? -1 : batches++;
    const { host: _host, 'content-length': _length, ...others } = headers as Record<string, string>;
    const answer = await fetch(api.url + url, { method: method ?? 'GET', headers: others, body });
    const text = await answer.text();
    if (!lost.includes(place))
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
    await meanwhile(JSON.parse(String(body)).rows.map(({ sku }: { sku: string }) => sku));
    return response.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => server.close() && server.closeAllConnections();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

const itemsBySku = async () => {
  const { text } = await api.send(list('include_inactive=true&limit=100'));
  const { data } = JSON.parse(text) as { data: Record<string, unknown>[] };
  return new Map(data.map((item) => [item['sku'], item]));
};

const languages: [language: string, command: string][] = [['ts', process.execPath]];
// Only at night, because it takes Python and PyPI.
if (process.env['NIGHTLY']) languages.push(['python', join(await pythonPackage('requests', '2.34.2'), 'python')]);

it.each(languages)(
  'the program in %s loses no colleague’s price, creates nothing twice, and leaves equal items alone',
  async (language, command) => {
    const cwd = temporaryFolder();
    const file = `sync.${language}`;
    writeFileSync(join(cwd, file), blocks(page('docs/nightly-sync.md'), language).join('\n'));
    const skus = Array.from({ length: 90 }, (_, index) => `${language}-${index}`);
    const articlesOf = (value: number) =>
      skus.map((sku, index) => ({ sku, name: sku, value: index === 89 ? -1 : index % 50 === 1 ? value : 1 }));
    const runNight = async (NIGHT: string, articles: object, lost: readonly number[]) => {
      writeFileSync(join(cwd, 'articles.json'), JSON.stringify(articles));
      const proxy = await startProxy(lost, async ([equal, changed]) => {
        const items = await itemsBySku();
        for (const sku of [equal, changed]) await api.send(update(Number(items.get(sku)?.['id']), { value: 888 }));
      });
      const env = { NIGHT, CATALOG_URL: proxy.url, CATALOG_TOKEN: api.tokens.editorWithoutCost };
      const { stdout } = await promisify(execFile)(command, [file], { cwd, env }).finally(proxy.close);
      return stdout.trim().split('\n').sort();
    };
    const rejected = `${skus[89]} 422 Invalid field: value.`;

    expect(await runNight('1', articlesOf(1), [0])).toEqual([rejected]);
    const first = await itemsBySku();
    const id = Number(first.get(skus[7])?.['id']);
    await api.send(update(id, { metadata: { color: 'red' } }));
    await expect.poll(async () => (await api.send(get(`${id}/changes`))).text).toContain('/color');
    const left = articlesOf(2).toSpliced(88, 1);
    expect(await runNight('2', left, [0, 1])).toEqual([`item ${id} has the color red`, rejected]);
    // Started again in the same night, it does nothing.
    const second = await itemsBySku();
    expect(await runNight('2', left, [])).toEqual([rejected]);
    expect(await itemsBySku()).toEqual(second);

    const own = skus.slice(0, 89).map((sku) => second.get(sku));
    expect([...second.keys()].filter((sku) => skus.includes(String(sku)))).toHaveLength(89);
    expect([0, 1, 50, 51].map((index) => own[index]?.['value'])).toEqual([888, 888, 888, 888]);
    const equal = own.filter((_, index) => ![0, 1, 7, 50, 51, 88].includes(index));
    expect(equal).toEqual(equal.map((item) => ({ ...item, value: 1, revision: 1 })));
    expect(own[88]).toMatchObject({ active: false });
  },
);
