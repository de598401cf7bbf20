import { setTimeout as pause } from 'node:timers/promises';
import { Window } from 'happy-dom';
import { createElement, StrictMode, useEffect } from 'react';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { catalogClient, dataOf, type Item, loadCatalog, type Schemas } from '../../client/http/catalogClient.ts';
import { listItems, loadItem } from '../../client/items/readItems.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';
import { hurry } from '../support/time/hurry.ts';

/** What the hooks use of a page. Programs on Node are checked without its types. */
declare global {
  type BeforeUnloadEvent = Pick<Event, 'preventDefault'>;
  function confirm(text: string): boolean;
  function addEventListener(type: string, listener: (event: BeforeUnloadEvent) => void): void;
  function removeEventListener(type: string, listener: (event: BeforeUnloadEvent) => void): void;
}

const api = await startTestApi({ recordsChanges: true });
type Send = () => Promise<Response>;
/** What happens to a request. */
let meet = (_: Request, send: Send): Promise<Response> => send();
const client = catalogClient(
  api.url,
  async () => api.tokens.editor,
  (request) => meet(request, () => fetch(request)),
);
const catalog = await loadCatalog(client);

const page = new Window();
vi.stubGlobal('window', page);
vi.stubGlobal('document', page.document);
for (const name of ['addEventListener', 'removeEventListener'] as const) vi.stubGlobal(name, page[name].bind(page));
/** The worker that reads sheets, in this thread. */
const worker: { onmessage?: (event: { data: unknown }) => void } = {};
vi.stubGlobal('onmessage', undefined);
vi.stubGlobal('postMessage', (data: unknown) => worker.onmessage?.({ data: structuredClone(data) }));
await import('../../client/sheet/sheetWorker.ts');
const { onmessage } = globalThis as unknown as { onmessage: (event: { data: unknown }) => void };
vi.stubGlobal('Worker', function Worker() {
  return Object.assign(worker, { postMessage: (data: unknown) => onmessage({ data }), terminate: () => {} });
});
const { createRoot } = await import('react-dom/client');
const { useImport, useItemChanges, useItemForm, useItems, useUndo } = await import('../../client/react/hooks.ts');

let storage = memoryStorage();
const unmounts: (() => void)[] = [];
beforeEach(() => {
  storage = memoryStorage();
});
afterEach(async () => {
  for (const unmount of unmounts.splice(0)) unmount();
  meet = (_, send) => send();
  // React still has something to do.
  await pause(0);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await page.happyDOM.close();
  await api.close();
});

/** Renders a component with a hook, as pages do while they are developed: each effect twice. */
function render<Given, Shown>(use: (given: Given) => Shown, given: Given) {
  const root = createRoot(page.document.createElement('div') as unknown as Element);
  let shown: Shown | undefined;
  const Component = ({ given: one }: { given: Given }) => {
    const returned = use(one);
    // Only now nothing that was begun is taken for what was left.
    useEffect(() => {
      shown = returned;
    });
    return null;
  };
  const show = (one: Given) => root.render(createElement(StrictMode, null, createElement(Component, { given: one })));
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

type IsMeant = (request: Request) => boolean;
const isCreate: IsMeant = ({ method }) => method === 'POST';
const isRead: IsMeant = ({ method }) => method === 'GET';

/** Lets the next such request be carried out, and holds back its answer until it is called. */
function hold(isMeant: IsMeant): () => void {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  meetNext(isMeant, async (send) => {
    const answer = await send();
    await held;
    return answer;
  });
  return release;
}

const lose = (isMeant: IsMeant) =>
  meetNext(isMeant, async (send) => {
    await send();
    throw new TypeError('The connection was lost');
  });

function meetNext(isMeant: IsMeant, act: (send: Send) => Promise<Response>): void {
  meet = (request, send) => {
    if (!isMeant(request)) return send();
    meet = (_, others) => others();
    return act(send);
  };
}

let names = 0;
/** No name begins with another one. */
const newName = () => `Hook${++names}.`;

async function named(name: string): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of listItems(client, { search: name, include_inactive: true })) items.push(item);
  return items;
}

async function created(body: Schemas['NewItem']): Promise<Item> {
  return dataOf(await client.POST('/api/v1/api/v1/items', { params: {}, body })).data;
}

async function update(id: number, body: Schemas['ItemChanges']): Promise<void> {
  dataOf(await client.PUT('/api/v1/api/v1/items/{id}', { params: { path: { id } }, body }));
}

describe('useItemForm', () => {
  const rendered = (more: Partial<Parameters<typeof useItemForm>[2]> = {}) =>
    render(() => useItemForm(client, catalog, { storage, ...more }), {});

  type Rendered = ReturnType<typeof rendered>;

  /** Creates an item, and gets no answer. */
  async function loseCreate(form: Rendered, name: string) {
    (await form.until(() => true)).type('name', name);
    lose(isCreate);
    (await form.until((now) => now.textOf('name') === name)).save();
    return form.until(({ status }) => status === 'failed');
  }

  /** The same, and then saves something else. */
  async function askedAbout(
    form: Rendered,
    name: string,
    ...typed: Parameters<ReturnType<typeof useItemForm>['type']>
  ) {
    (await loseCreate(form, name)).type(...typed);
    (await form.until((now) => now.textOf(typed[0]) === typed[1])).save();
    return form.until(({ status }) => status === 'asked');
  }

  it('keeps what is typed while it is saved, and shows amounts as they will be saved', async () => {
    const form = rendered();
    const name = newName();
    (await form.until(() => true)).type('name', name);
    const release = hold(isCreate);
    (await form.until((now) => now.textOf('name') === name)).save();
    (await form.until(({ status }) => status === 'saving')).type('value', '12,505');
    (await form.until((now) => now.textOf('value') === '12,505')).type('value', '12,5000049');
    await form.until(({ saved }) => saved.value === 12.5);
    release();
    const now = await form.until(({ loaded }) => loaded !== undefined);
    expect([now.status, now.textOf('value'), now.isEdited]).toEqual(['ready', '12,5000049', true]);
    await now.save();
    const { loaded, isEdited } = await form.until(({ status }) => status === 'saved');
    expect([loaded?.item.name, loaded?.item.value, isEdited]).toEqual([name, 12.5, false]);
  });

  it('shows the item that was opened last, whichever answer comes first', async () => {
    const [first, last] = [await created({ name: newName() }), await created({ name: newName() })];
    const form = rendered({ mayLeave: () => true });
    const release = hold(isRead);
    (await form.until(() => true)).open(first.id);
    (await form.until(({ status }) => status === 'loading')).open(last.id);
    await form.until(({ loaded }) => loaded?.item.id === last.id);
    release();
    await pause(50);
    const opened = await form.until(({ loaded }) => loaded?.item.id === last.id);
    const answer = hold(({ method }) => method === 'PUT');
    opened.type('value', '7');
    (await form.until(({ isEdited }) => isEdited)).save();
    await (await form.until(({ status }) => status === 'saving')).open(first.id);
    answer();
    await pause(50);
    const now = await form.until(({ loaded }) => loaded?.item.id === first.id);
    expect([now.textOf('value'), now.isEdited, (await loadItem(client, last.id))?.item.value]).toEqual(['0', false, 7]);
  });

  it('asks before it leaves what is typed', async () => {
    const { id } = await created({ name: newName() });
    const mayLeave = vi.fn(() => false);
    const form = rendered({ mayLeave });
    (await form.until(() => true)).type('name', 'typed');
    const typed = await form.until(({ isEdited }) => isEdited);
    const leave = new page.Event('beforeunload', { cancelable: true });
    page.dispatchEvent(leave);
    expect(leave.defaultPrevented).toBe(true);
    await typed.open(id);
    expect(mayLeave).toHaveBeenCalledOnce();
    expect((await form.until(() => true)).textOf('name')).toBe('typed');
    mayLeave.mockReturnValue(true);
    await typed.open(id);
    await form.until(({ loaded, isEdited }) => loaded?.item.id === id && !isEdited);
  });

  it('asks whether a create without an answer is what is typed by now, and then changes it', async () => {
    const form = rendered();
    const name = newName();
    const asked = await askedAbout(form, name, 'value', '7');
    await asked.finishLost();
    await form.until(({ status }) => status === 'saved');
    expect(await named(name)).toMatchObject([{ value: 7, revision: 2 }]);
  });

  it('saves nothing of an item that is opened while a create without an answer is finished', async () => {
    const { id } = await created({ name: newName() });
    const form = rendered({ mayLeave: () => true });
    const name = newName();
    const asked = await askedAbout(form, name, 'value', '7');
    const release = hold(isCreate);
    const finished = asked.finishLost();
    await (await form.until(({ status }) => status === 'saving')).open(id);
    (await form.until(({ loaded }) => loaded?.item.id === id)).type('value', '9');
    await form.until((now) => now.textOf('value') === '9');
    release();
    await finished;
    expect((await loadItem(client, id))?.item.revision).toBe(1);
    expect((await form.until(() => true)).textOf('value')).toBe('9');
  });

  it('asks whether a create without an answer is what is typed by now, or creates that as well', async () => {
    const form = rendered();
    const name = newName();
    const asked = await askedAbout(form, name, 'name', `${name} B`);
    await asked.createAnother();
    await form.until(({ status }) => status === 'saved');
    expect(await named(name)).toMatchObject([{ name }, { name: `${name} B` }]);
    expect(storage.getItem('catalog.create')).toBeNull();
  });

  it('sends a create without an answer again in the next visit, once', async () => {
    const name = newName();
    const before = rendered();
    await loseCreate(before, name);
    before.unmount();
    const onSaved = vi.fn();
    rendered({ onSaved });
    await vi.waitUntil(() => onSaved.mock.calls.length > 0, { timeout: 60_000 });
    expect(await named(name)).toHaveLength(1);
  });

  it('lets the user decide each field that somebody else has saved too, and keeps the others', async () => {
    const { id } = await created({ name: newName(), value: 1, qty: 1, metadata: { color: 'red', size: 1 } });
    const form = rendered();
    await (await form.until(() => true)).open(id);
    const opened = await form.until(({ loaded }) => loaded?.item.id === id);
    await update(id, { value: 2, qty: 2, unit: 'kg', tag: 'theirs', metadata: { color: 'blue' } });
    opened.type('value', '3');
    opened.type('qty', '3');
    const custom = opened.custom.map((one) => (one.key === 'color' ? { ...one, text: 'green' } : one));
    opened.typeCustom(custom);
    await (await form.until((now) => now.custom.some(({ text }) => text === 'green'))).save();
    const { conflict } = await form.until(({ status }) => status === 'failed');
    expect(conflict).toEqual([
      { name: 'value', mine: 3, theirs: 2 },
      { name: 'qty', mine: [3, 'un'], theirs: [2, 'kg'] },
      { name: 'metadata.color', mine: 'green', theirs: 'blue' },
    ]);
    await (await form.until(() => true)).save();
    await form.until(({ messages }) => messages.form === 'First choose between both values.');
    for (const [name, isMine] of Object.entries({ value: true, qty: true, 'metadata.color': false }))
      (await form.until(() => true)).decide(name, isMine);
    await (await form.until((now) => now.conflict.length === 0)).save();
    await form.until(({ status }) => status === 'saved');
    expect((await loadItem(client, id))?.item).toMatchObject({
      ...{ value: 3, qty: 3, unit: 'un', tag: 'theirs', metadata: { color: 'blue', size: 1 } },
    });
  });
});

describe('useItems', () => {
  const rendered = (text: string, pageSize = 2) =>
    render((given: { text: string }) => useItems(client, { ...given, query: { include_inactive: true }, pageSize }), {
      text,
    });

  it('never shows the answer to an earlier text, and goes on by pages', async () => {
    const [early, late] = [newName(), newName()];
    for (const name of [early, `${late} A`, `${late} B`, `${late} C`]) await created({ name });
    let isAsked = false;
    const release = hold(({ url }) => {
      isAsked ||= url.includes(early);
      return url.includes(early);
    });
    const list = rendered(early);
    await vi.waitUntil(() => isAsked, { timeout: 60_000 });
    list.show({ text: late });
    const shown = await list.until(({ items, isBusy }) => !isBusy && items.length === 2);
    release();
    await pause(50);
    expect([shown.isMore, shown.items.map(({ name }) => name)]).toEqual([true, [`${late} A`, `${late} B`]]);
    shown.showMore();
    const all = await list.until(({ items }) => items.length === 3);
    expect([all.isMore, all.items.at(-1)?.name]).toEqual([false, `${late} C`]);
  });
});

describe('without an answer', () => {
  const { setTimeout: start } = globalThis;
  beforeEach(() => void hurry());
  afterEach(() => void vi.stubGlobal('setTimeout', start));

  it('a list says why, and tries again', async () => {
    const name = newName();
    await created({ name });
    let failures = 0;
    meet = async (request, send) => {
      const answer = await send();
      if (!request.url.includes(name) || ++failures > 3) return answer;
      throw new TypeError('The connection was lost');
    };
    const list = render(() => useItems(client, { text: name, query: {} }), {});
    await list.until(({ failure }) => failure === 'The connection was lost');
    await list.until(({ items, failure }) => items.length === 1 && failure === '');
  });

  it('the history of an item is read again', async () => {
    const { id } = await created({ name: newName() });
    const params = { path: { id } };
    const read = async () => dataOf(await client.GET('/api/v1/api/v1/items/{id}/changes', { params })).data;
    await vi.waitUntil(async () => (await read()).length > 0, { timeout: 60_000 });
    lose(({ url }) => url.includes(`/${id}/changes`));
    const history = render(() => useItemChanges(client, id, 1), {});
    await history.until((changes) => changes[0]?.kind === 'created');
  });
});

describe('useImport', () => {
  const rendered = () => render(() => useImport(client, catalog, storage), {});
  const file = (text: string) => new Blob([text]);

  it('remembers what a heading means, looks first, and creates what it has shown', async () => {
    const [name, later] = [newName(), newName()];
    const sheets = rendered();
    (await sheets.until(() => true)).take(file(`Product name;Net\n${name};1,50\n`));
    const asked = await sheets.until(({ step }) => step === 'asked');
    expect(asked.columns.map((one) => one.name)).toEqual(['Product name', 'Net']);
    asked.tell(
      new Map([
        ['Product name', 'name'],
        ['Net', 'value'],
      ]),
    );
    const looked = await sheets.until(({ step }) => step === 'looked');
    expect(looked.look?.counts.new).toBe(1);
    expect(await named(name)).toEqual([]);
    looked.start();
    expect((await sheets.until(({ step }) => step === 'done')).progress?.created).toBe(1);
    expect(await named(name)).toMatchObject([{ value: 1.5 }]);
    (await sheets.until(() => true)).take(file(`Product name;Net\n${later};2\n`));
    const again = await sheets.until(({ step, look }) => step === 'looked' && look?.rows.length === 1);
    expect([again.look?.counts.new, again.progress]).toEqual([1, undefined]);
  });

  it('takes what is typed over rejects as a file of their own, and forgets them at another file', async () => {
    const [good, bad] = [newName(), newName()];
    const sheets = rendered();
    (await sheets.until(() => true)).take(file(`name,value\n${good},1\n${bad},3 EUR\n`));
    const looked = await sheets.until(({ step }) => step === 'looked');
    looked.start();
    const done = await sheets.until(({ step }) => step === 'done');
    expect(done.rejected).toMatchObject([{ line: 3, problems: [{ field: 'value' }] }]);
    done.type(3, 'value', '3');
    (await sheets.until(({ rejected }) => rejected[0]?.typed?.['value'] === '3')).mend();
    (await sheets.until(({ step }) => step === 'looked')).start();
    await sheets.until(({ step, progress }) => step === 'done' && progress?.created === 1);
    expect([await named(good), await named(bad)]).toMatchObject([[{ revision: 1 }], [{ value: 3 }]]);
    (await sheets.until(() => true)).take(file(`name,value\n${good},x\n`));
    await sheets.until(({ rejected }) => rejected.length === 1);
    (await sheets.until(() => true)).take(new Blob([Buffer.from('name\nStra\xdfe\n', 'latin1')]));
    const unread = await sheets.until(({ step }) => step === 'asked');
    expect([unread.rejected, unread.sheet, unread.questions[0]?.option]).toEqual([[], undefined, 'encoding']);
    unread.answer('encoding', 'windows-1252');
    expect((await sheets.until(({ step }) => step === 'looked')).look?.counts.new).toBe(1);
  });

  it('updates by the ids of an edited export, and makes new items of another system’s', async () => {
    const item = await created({ name: newName() });
    const other = newName();
    const sheets = rendered();
    (await sheets.until(() => true)).take(file(`id,revision,name\n${item.id},1,${item.name} edited\n`));
    expect((await sheets.until(({ step }) => step === 'looked')).look?.counts.changed).toBe(1);
    (await sheets.until(() => true)).take(file(`ID,Name\n${item.id},${other}\n`));
    (await sheets.until(({ step }) => step === 'asked')).tell(
      new Map([
        ['ID', 'ignore'],
        ['Name', 'name'],
      ]),
    );
    expect((await sheets.until(({ step }) => step === 'looked')).look?.counts.new).toBe(1);
  });
});

describe('useUndo', () => {
  it('looks, undoes what it has shown, and forgets a look at another mistake', async () => {
    const item = await created({ name: newName(), value: 1 });
    await pause(1_100);
    const from = new Date(Math.floor(Date.now() / 1_000) * 1_000);
    await update(item.id, { value: 2 });
    await pause(1_100);
    const mistake = { users: [catalog.user], from, to: new Date(), items: [item.id] };
    const undoing = render(() => useUndo(client, storage), {});
    (await undoing.until(() => true)).look(mistake);
    const looked = await undoing.until(({ step, report }) => step === 'looked' && report.length > 0);
    expect(looked.report).toMatchObject([{ field: 'value', before: 1, now: 2, result: 'put back' }]);
    const release = hold(isRead);
    looked.look(mistake);
    (await undoing.until(({ step }) => step === 'looking')).reset();
    await undoing.until(({ step, report }) => step === 'ready' && report.length === 0);
    release();
    await pause(50);
    (await undoing.until(({ step }) => step === 'ready')).start(mistake);
    await undoing.until(({ step }) => step === 'done');
    expect((await loadItem(client, item.id))?.item.value).toBe(1);
  });

  it('ends what is under way when the page is left', async () => {
    let signal: AbortSignal | undefined;
    meet = (request) => {
      signal = request.signal;
      return new Promise(() => {});
    };
    const undoing = render(() => useUndo(client, storage), {});
    (await undoing.until(() => true)).look({ users: ['ann'], from: new Date(0), to: new Date(1) });
    await vi.waitUntil(() => signal !== undefined, { timeout: 60_000 });
    undoing.unmount();
    await vi.waitUntil(() => signal?.aborted, { timeout: 60_000 });
  });
});
