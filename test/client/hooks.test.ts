import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Window } from 'happy-dom';
import { Activity, createElement, type ReactNode, StrictMode, useEffect, useState } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item } from '../../client/http/catalogClient.ts';
import { createItem } from '../../client/items/createItem.ts';
import { loadItem } from '../../client/items/readItems.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { isCreate, isRead, meetRequests } from '../support/client/meetRequests.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

/** What the hooks use of a page. Programs on Node are checked without its types. */
declare global {
  function confirm(text: string): boolean;
}

const api = await startTestApi({ recordsChanges: true });
const { client, newClient, catalog, created, hold, leave, lose, meetAll, named, newName } = await meetRequests(api);

const page = new Window({ url: `${api.url}/app#/items/new` });
vi.stubGlobal('window', page);
vi.stubGlobal('document', page.document);
for (const name of ['addEventListener', 'removeEventListener'] as const) vi.stubGlobal(name, page[name].bind(page));
/** The worker that reads sheets, in this thread. */
const worker: { onmessage?: (event: { data: unknown }) => void } = {};
vi.stubGlobal('onmessage', undefined);
vi.stubGlobal('postMessage', (data: unknown) => worker.onmessage?.({ data: structuredClone(data) }));
await import('../../client/import/sheetWorker.ts');
const { onmessage } = globalThis as unknown as { onmessage: (event: { data: unknown }) => void };
vi.stubGlobal('Worker', function Worker() {
  return Object.assign(worker, { postMessage: (data: unknown) => onmessage({ data }), terminate: () => {} });
});
const { createRoot } = await import('react-dom/client');
const { useImport, useItemChanges, useItemForm, useItems, useUndo } = await import('../../client/public/react.ts');

let storage = memoryStorage();
const unmounts: (() => void)[] = [];
beforeEach(() => {
  storage = memoryStorage();
});
afterEach(async () => {
  for (const unmount of unmounts.splice(0)) unmount();
  leave();
  // React still has something to do.
  await pause(0);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await page.happyDOM.close();
});

interface Given {
  readonly isHidden?: boolean;
}

/** Renders a component with a hook, as pages do while they are developed: each effect twice. */
function render<Shown, More extends object>(use: (given: Given & More) => Shown, given: Given & More) {
  const root = createRoot(page.document.createElement('div') as unknown as Element);
  let shown: Shown | undefined;
  const Component = ({ given: latest }: { given: Given & More }): ReactNode => {
    const returned = use(latest);
    // Only now nothing that was begun is taken for what was left.
    useEffect(() => {
      shown = returned;
    });
    return null;
  };
  const show = (latest: Given & More) => {
    const mode = latest.isHidden === true ? 'hidden' : 'visible';
    const component = createElement(Component, { given: latest });
    root.render(createElement(StrictMode, null, createElement(Activity, { mode, children: component })));
  };
  unmounts.push(() => root.unmount());
  show(given);
  return {
    show,
    unmount: () => root.unmount(),
    /** What the hook returns, once this holds. */
    until: (holds: (now: Shown) => boolean): Promise<Shown> =>
      vi.waitUntil(() => (shown !== undefined && holds(shown) ? shown : undefined), { timeout: 60_000, interval: 5 }),
  };
}

describe('useItemForm', () => {
  const rendered = (options: Parameters<typeof useItemForm>[2] = {}) =>
    render(
      (given: Given & { by?: typeof client }) => useItemForm(given.by ?? client, catalog, { storage, ...options }),
      {},
    );

  type Rendered = ReturnType<typeof rendered>;

  async function typed(form: Rendered, name: string) {
    (await form.until(() => true)).setValue('name', name);
    return form.until((now) => now.values.name === name);
  }

  const isPageHeld = (): boolean => {
    const left = new page.Event('beforeunload', { cancelable: true });
    page.dispatchEvent(left);
    return left.defaultPrevented;
  };

  it('has the same functions in each render, so that an effect with one of them runs once', async () => {
    const { id } = await created({ name: newName() });
    let opened = 0;
    const form = render(() => {
      const shown = useItemForm(client, catalog);
      const { open } = shown;
      useEffect(() => {
        opened += 1;
        open(id);
      }, [open]);
      return shown;
    }, {});
    const before = await form.until(({ item }) => item?.id === id);
    before.setValue('value', '2');
    const after = await form.until(({ isDirty }) => isDirty);
    const acts = ['open', 'setValue', 'setCustomFields', 'reset', 'save', 'decide', 'resolveUnconfirmed'] as const;
    const functions = (shown: typeof after) => acts.map((name) => shown[name]);
    expect(opened).toBe(2);
    expect(functions(after)).toEqual(functions(before));
  });

  it('says in the language of its texts what is wrong', async () => {
    const form = rendered();
    (await form.until(() => true)).setCustomFields([{ key: 'a/b', kind: 'number', text: 'x' }]);
    (await form.until(({ isDirty }) => isDirty)).setValue('value', 'x');
    (await form.until(({ values }) => values.value === 'x')).save();
    const { messages, customFields } = await form.until(({ status }) => status === 'failed');
    expect(messages.inputs).toMatchObject({ value: 'Type a number, such as 1299.50.', name: /^must be a text/ });
    expect(customFields).toMatchObject([{ error: { rule: 'number' } }]);
  });

  it.each(['hidden', 'unmounted'])('saves what it has begun to save though it is %s, and says so once', async (how) => {
    const onSaved = vi.fn<(item: Item) => void>();
    const form = rendered({ onSaved });
    const { sent, release } = hold(isCreate);
    const saved = (await typed(form, newName())).save();
    await sent;
    if (how === 'hidden') form.show({ isHidden: true });
    else form.unmount();
    await pause(20);
    release();
    expect(await saved).toMatchObject({ revision: 1 });
    expect(onSaved.mock.calls).toEqual([[await saved]]);
    if (how === 'unmounted') return;
    form.show({});
    (await form.until(({ status }) => status === 'saved')).setValue('value', '6');
    (await form.until(({ isDirty }) => isDirty)).save();
    await form.until(({ item }) => item?.revision === 2);
  });

  it('lets nobody leave what is typed unasked, and whoever leaves after a save unasked', async () => {
    const seen: unknown[] = [];
    const form = rendered({ onSaved: () => seen.push(isPageHeld()) });
    const now = await typed(form, newName());
    seen.push(isPageHeld());
    await now.save();
    await form.until(({ isDirty }) => !isDirty);
    expect([...seen, isPageHeld()]).toEqual([true, false, false]);
  });

  it('renders once more for a catalog that is other than the one before, and not for a copy of it', async () => {
    let renders = 0;
    const form = render(
      (given: Given & { tax: number }) => {
        renders += 1;
        const { service, product } = catalog.defaults;
        return useItemForm(client, { ...catalog, defaults: { service, product: { ...product, tax: given.tax } } });
      },
      { tax: 5 },
    );
    await form.until((now) => now.placeholders.tax === '5');
    const before = renders;
    form.show({ tax: 7 });
    await form.until((now) => now.placeholders.tax === '7');
    await pause(50);
    expect(renders - before).toBeLessThan(10);
  });

  it('sends what an earlier visit has left open also if its storage is only known after the first render', async () => {
    const name = newName();
    lose(isCreate);
    await createItem(client, { name }, { catalog, storage }).catch(() => undefined);
    const onSaved = vi.fn();
    render(() => {
      const [known, setKnown] = useState<typeof storage>();
      useEffect(() => setKnown(storage), []);
      return useItemForm(client, catalog, { storage: known, onSaved });
    }, {});
    await vi.waitUntil(() => onSaved.mock.calls.length > 0);
    expect(onSaved.mock.calls).toMatchObject([[{ name }]]);
  });

  it('goes on with another client, and makes nothing twice', async () => {
    const name = newName();
    const onSaved = vi.fn();
    const form = rendered({ onSaved });
    lose(isCreate);
    await (await typed(form, name)).save();
    form.show({ by: newClient() });
    await (await form.until(({ status }) => status === 'failed')).save();
    await form.until(({ status }) => status === 'saved');
    expect(await named(name)).toHaveLength(1);
  });
});

describe('useItems', () => {
  const filter = { include_inactive: true };
  const rendered = (text: string) =>
    render((given: Given & { text: string }) => useItems(client, { text: given.text, filter, pageSize: 2 }), { text });

  it('shows what its text is by now, and asks nothing while it is hidden', async () => {
    const [early, late] = [newName(), newName()];
    for (const name of [early, late]) await created({ name });
    const list = rendered(early);
    list.show({ text: late });
    await list.until(({ items }) => items[0]?.name === late);
    list.show({ text: late, isHidden: true });
    await pause(20);
    const other = await created({ name: `${late} B` });
    const asked = vi.fn();
    meetAll((request, send) => {
      asked(request.url);
      return send();
    });
    await pause(50);
    expect(asked).not.toHaveBeenCalled();
    list.show({ text: late });
    await list.until(({ items }) => items[1]?.id === other.id);
  });
});

it('useItemChanges shows nothing of another item', async () => {
  const [first, last] = [await created({ name: newName() }), await created({ name: newName() })];
  const history = render(
    (given: Given & { id: number; version: number }) => useItemChanges(client, given.id, { version: given.version }),
    {
      id: first.id,
      version: 0,
    },
  );
  for (let version = 1; (await history.until(() => true)).changes[0]?.item !== first.id; version += 1) {
    history.show({ id: first.id, version });
    await pause(50);
  }
  hold(isRead);
  history.show({ id: last.id, version: 0 });
  await history.until(({ changes }) => changes.length === 0);
});

it('hooks render on a server, where there is no storage', () => {
  const Page = () => {
    const list = useItems(client, { text: '' });
    const form = useItemForm(client, catalog, { storage: undefined, onSaved: list.upsert });
    useUndo(client, { storage: undefined });
    useItemChanges(client, 1, { version: list.version });
    return createElement('p', null, `${list.isFetching} ${form.status} ${form.values.unit}`);
  };
  expect(renderToString(createElement(Page))).toBe('<p>true ready un</p>');
});

it('useImport has the state of an import, and the same functions in each render', async () => {
  const name = newName();
  const page = render(() => useImport(client, catalog, { storage }), {});
  const sheets = await page.until(() => true);
  sheets.load(new Blob([`name,value\n${name},1,50\n`]));
  await page.until(({ step }) => step === 'previewed');
  sheets.close();
  sheets.load(new Blob([`name\n${name}\n`]));
  await page.until((state) => state.step === 'previewed' && state.counts.create === 1);
  sheets.start();
  const { load } = await page.until(({ step }) => step === 'done');
  expect([load, (await named(name)).length]).toEqual([sheets.load, 1]);
});
describe('useUndo', () => {
  const target = { users: ['ann'], from: new Date(0), to: new Date(1) };

  it('goes on while it is hidden, and ends when it is left', async () => {
    let signal: AbortSignal | undefined;
    meetAll((request) => {
      signal = request.signal;
      return new Promise(() => {});
    });
    const undoing = render(() => useUndo(client, { storage }), {});
    (await undoing.until(() => true)).preview(target);
    await vi.waitUntil(() => signal !== undefined, { timeout: 60_000 });
    undoing.show({ isHidden: true });
    await pause(50);
    expect(signal?.aborted).toBe(false);
    undoing.show({});
    await undoing.until(({ step }) => step === 'previewing');
    undoing.unmount();
    await vi.waitUntil(() => signal?.aborted, { timeout: 60_000 });
  });
});

it('the example keeps nothing of a user after the sign-out, and shows the next user nothing of it', async () => {
  for (const name of ['location', 'history', 'navigator', 'sessionStorage', 'localStorage', 'FormData'] as const)
    vi.stubGlobal(name, page[name]);
  const { fetch, Request: OfNode } = globalThis;
  vi.stubGlobal('Request', function Request(input: string | Request, init?: RequestInit) {
    return new OfNode(typeof input === 'string' ? new URL(input, api.url) : input, init);
  });
  page.document.body.innerHTML = '<div id="root"></div>';
  const outfile = join(temporaryFolder(), 'app.mjs');
  const entryPoints = [fileURLToPath(new URL('../../page/app.tsx', import.meta.url))];
  await build({ entryPoints, outfile, bundle: true, format: 'esm', minify: true });
  await import(pathToFileURL(outfile).href);

  const eventually = { timeout: 60_000, interval: 10 };
  type Input = InstanceType<typeof page.HTMLInputElement>;
  const find = (selector: string) =>
    vi.waitUntil(() => page.document.querySelector(selector) as unknown as Input | null, eventually);
  const { set } = Object.getOwnPropertyDescriptor(page.HTMLInputElement.prototype, 'value') ?? {};
  const type = async (selector: string, text: string) => {
    const input = await find(selector);
    // React takes a value that is set on the element itself for its own.
    set?.call(input, text);
    input.dispatchEvent(new page.Event('input', { bubbles: true }));
    await pause(20);
    return (await find(selector)).value === text;
  };
  const signIn = async (token: string) => {
    await type('#token', token);
    (await find('#sign-in button[type=submit]')).click();
  };

  page.location.hash = '#/items/new';
  await signIn(api.tokens.editor);
  for (const input of ['#name', '#search']) await vi.waitUntil(() => type(input, 'Left open'), eventually);
  const refusal = { error: { code: 'UNAUTHORIZED', message: 'No' } };
  vi.stubGlobal('fetch', async () => Response.json(refusal, { status: 401 }));
  (await find('#form button[type=submit]')).click();
  await find('div > dialog #token');
  vi.stubGlobal('fetch', fetch);
  const other = clientOf(api, 'editorWithoutCost');
  const user = 'editor-without-cost';
  const item = await createItem(other, { name: newName() }, { catalog: { account: 'demo-1', user }, storage });
  const from = Date.parse(item.updated_at);
  const target = { by: `demo-1 ${user}`, users: [user], from, to: from + 1_000, items: [item.id] };
  page.localStorage.setItem('mistake', JSON.stringify(target));
  await signIn(api.tokens.editorWithoutCost);
  await vi.waitUntil(async () => (await find('nav small')).textContent.includes('without'), eventually);
  for (const input of ['#name', '#search']) expect((await find(input)).value).toBe('');
  page.location.hash = '#/history';
  (await find('[aria-labelledby=undo-title] button')).click();
  await vi.waitUntil(async () => (await loadItem(other, item.id))?.active === false, eventually);
  for (const name of ['catalog.imports', 'catalog.undo', 'catalog.columns', 'mistake'])
    page.localStorage.setItem(name, '{"a":{"made":{}}}');
  page.sessionStorage.setItem('catalog.create', '{"a":{}}');
  (await find('header > button')).click();
  await find('main > dialog');
  expect(Object.keys({ ...page.sessionStorage, ...page.localStorage })).toEqual([]);
});
