import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InputName } from '../../client/form/itemDraft.ts';
import { ItemForm, type ItemFormOptions } from '../../client/form/itemForm.ts';
import { createItem } from '../../client/items/createItem.ts';
import { loadItem } from '../../client/items/readItems.ts';
import { type Item, textOf } from '../../client/public/index.ts';
import { en } from '../../client/texts/en.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { isCreate, isRead, isUpdate, meetRequests } from '../support/client/meetRequests.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';
import { hurry } from '../support/time/hurry.ts';

const api = await startTestApi();
const { client, newClient, catalog, created, hold, leave, lose, meetAll, meetNext, named, newName, update } =
  await meetRequests(api);

let storage = memoryStorage();
beforeEach(() => {
  storage = memoryStorage();
});
afterEach(() => {
  leave();
  vi.unstubAllGlobals();
});

const newForm = (options: Partial<ItemFormOptions> = {}) => new ItemForm({ client, catalog, storage, ...options });

/** A form with what is typed. */
function typedForm(typed: Partial<Record<InputName, string>>, options: Partial<ItemFormOptions> = {}): ItemForm {
  const form = newForm(options);
  for (const [name, text] of Object.entries(typed)) form.setValue(name as InputName, text);
  return form;
}

async function openForm(id: number, options: Partial<ItemFormOptions> = {}): Promise<ItemForm> {
  const form = newForm(options);
  await form.open(id);
  return form;
}

const current = async (id: number) => (await loadItem(client, id)) ?? undefined;

describe('a form', () => {
  it('keeps what is typed while it is saved, and shows amounts as they will be saved', async () => {
    const name = newName();
    const form = typedForm({ name });
    const { release } = hold(isCreate);
    const saved = form.save();
    form.setValue('value', '12,505');
    form.setValue('value', '12,5000049');
    form.setValue('qty', '1,25');
    form.setValue('unit', 'hour');
    expect(form.getState()).toMatchObject({ status: 'saving', parsed: { value: 12.5, qty: 1.25 } });
    release();
    expect(await saved).toMatchObject({ name, value: 0 });
    expect(form.getState()).toMatchObject({ status: 'ready', values: { value: '12,5000049' }, isDirty: true });
    expect(await form.save()).toMatchObject({ name, value: 12.5, revision: 2 });
    expect(form.getState()).toMatchObject({ status: 'saved', isDirty: false });
  });

  it('shows the item that was opened last, whichever answer comes first', async () => {
    const [first, last] = [await created({ name: newName() }), await created({ name: newName() })];
    const form = newForm();
    const { sent, release } = hold(isRead);
    const opening = form.open(first.id);
    await sent;
    await form.open(last.id);
    release();
    await opening;
    expect(form.getState().item?.id).toBe(last.id);
    const { release: answer } = hold(isUpdate);
    form.setValue('value', '7');
    const saved = form.save();
    await form.open(first.id);
    answer();
    expect((await saved)?.value).toBe(7);
    expect(form.getState()).toMatchObject({ status: 'ready', item: { id: first.id }, isDirty: false });
  });

  it('asks before it leaves what is typed, unless that is given up', async () => {
    const { id } = await created({ name: newName() });
    const mayLeave = vi.fn(() => false);
    const form = typedForm({ name: 'typed' }, { mayLeave });
    await form.open(id);
    expect([mayLeave.mock.calls.length, form.getState().values['name']]).toEqual([1, 'typed']);
    form.reset();
    await form.open(id);
    expect([mayLeave.mock.calls.length, form.getState().item?.id]).toEqual([1, id]);
  });

  it('tries to load until it can, and saves nothing as a new item meanwhile, nor over one that is gone', async () => {
    hurry();
    const { id, name } = await created({ name: newName() });
    meetNext(isRead, async () => {
      throw new TypeError('offline');
    });
    const form = newForm();
    const said: unknown[] = [];
    form.subscribe(() => said.push(form.getState().notice?.code));
    const opened = form.open(id);
    form.setValue('name', 'Typed too early');
    expect(await form.save()).toBeUndefined();
    await opened;
    expect([said, form.getState().values['name']]).toEqual([[undefined, 'retrying', undefined], name]);
    await form.open(999_999_999);
    form.setValue('name', 'Typed over nothing');
    expect(await form.save()).toBeUndefined();
    expect(form.getState()).toMatchObject({ status: 'missing', notice: { code: 'missing', id: 999_999_999 } });
    expect(await named('Typed')).toEqual([]);
  });

  it('tells all problems in one round, those that it finds and those that the service would', async () => {
    const typed = { name: ' ', value: '100000000', qty: '-1', cost: 'ten', tax: '1.299', sku: 'x'.repeat(46) };
    const form = typedForm(typed);
    const custom = ['s'.repeat(2_001), 't'].map((text, index) => ({ key: `c${index}`, kind: 'text', text }) as const);
    form.setCustomFields(custom);
    const { parsed, errors: typedErrors } = form.getState();
    expect([parsed, Object.keys(typedErrors)]).toEqual([{}, ['cost', 'tax', 'value', 'qty', 'sku']]);
    await form.save();
    const { errors, status } = form.getState();
    expect([status, Object.entries(errors).map(([input, { rule, limit }]) => [input, rule, limit])]).toEqual([
      'failed',
      [
        ['name', 'required', undefined],
        ['value', 'max', 99_999_999.9999],
        ['qty', 'min', 0],
        ['sku', 'max_length', 45],
        ['metadata/c0', 'max_length', 2_000],
        ['cost', 'number', undefined],
        ['tax', 'ambiguous', undefined],
      ],
    ]);
    expect(errors['tax']?.choices).toEqual([1299, 1.299]);
  });

  it('says what is wrong with an input until something else is typed there', async () => {
    const taken = await created({ name: newName(), sku: newName() });
    const form = typedForm({ name: newName(), sku: taken.sku ?? '' });
    await form.save();
    expect(form.getState()).toMatchObject({ status: 'failed', errors: { sku: { rule: 'taken', item: taken.id } } });
    form.setValue('name', newName());
    expect(Object.keys(form.getState().errors)).toEqual(['sku']);
    form.setValue('sku', '');
    expect(form.getState()).toMatchObject({ status: 'ready', errors: {} });
    expect(await form.save()).toMatchObject({ sku: null });
    await form.save();
    expect(form.getState().notice).toEqual({ code: 'unchanged' });
  });

  it('saves once, however often it is told to at the same time', async () => {
    const name = newName();
    const form = typedForm({ name });
    const saved = await Promise.all([form.save(), form.save(), form.save()]);
    expect([saved.filter((item) => item !== undefined).length, (await named(name)).length]).toEqual([1, 1]);
  });

  it('is saved whatever the page’s own code throws, which is the page’s to see', async () => {
    const reportError = vi.fn();
    vi.stubGlobal('reportError', reportError);
    const [name, mistake] = [newName(), new TypeError('undefined is not a function')];
    const fail = () => {
      throw mistake;
    };
    const form = typedForm({ name }, { onSaved: fail });
    const end = form.subscribe(fail);
    const item = await form.save();
    expect(item).toMatchObject({ name });
    expect([form.getState().status, form.getState().notice]).toEqual(['saved', undefined]);
    expect(reportError.mock.calls).toEqual([[mistake], [mistake], [mistake]]); // saving, saved, and that it is saved
    await form.open(item?.id);
    expect(form.getState()).toMatchObject({ status: 'ready', item });
    end();
    await form.save();
    expect(await named(name)).toHaveLength(1);
  });

  it('has nothing unsaved any more when it tells what is saved', async () => {
    const seen: boolean[] = [];
    const mayLeave = vi.fn(() => false);
    const form: ItemForm = typedForm(
      { name: newName() },
      {
        mayLeave,
        onSaved: () => {
          seen.push(form.getState().isDirty);
          form.open();
        },
      },
    );
    await form.save();
    expect([seen, mayLeave.mock.calls.length, form.getState().values['name']]).toEqual([[false], 0, '']);
  });
});

it('a change that an item had before is made again after that of somebody else', async () => {
  const { id } = await created({ name: newName() });
  const form = newForm();
  for (const theirs of [1, 7]) {
    await update(id, { value: theirs });
    await form.open(id);
    form.setValue('value', '2');
    await form.save();
    expect(await current(id)).toMatchObject({ value: 2 });
  }
});

it('a change whose answer was lost is another one after somebody else has changed the item', async () => {
  const { id } = await created({ name: newName(), value: 1 });
  const form = await openForm(id);
  form.setValue('value', '2');
  lose(isUpdate);
  await form.save();
  form.reset();
  await update(id, { value: 7 });
  await form.open(id);
  form.setValue('value', '2');
  expect(await form.save()).toMatchObject({ value: 2 });
  expect(await current(id)).toMatchObject({ value: 2 });
});

it('amounts of a new item are empty until they are typed, with their defaults as placeholders', async () => {
  const form = typedForm({ name: newName() });
  const amounts = { value: '', qty: '', cost: '', tax: '' };
  expect(form.getState()).toMatchObject({ values: amounts, placeholders: { value: '0', qty: '1', tax: '0' } });
  form.setValue('qty', '3');
  form.setValue('qty', '');
  const item = await form.save();
  expect([item?.qty, form.getState().values.qty]).toEqual([1, '1']);
  form.setValue('qty', '');
  expect(form.getState().errors['qty']).toEqual({ rule: 'number' });
});

it('custom fields are those of the item and those that are typed', async () => {
  const { id } = await created({ name: newName(), metadata: { color: 'red', legs: 4 } });
  const form = await openForm(id);
  const { customFields } = form.getState();
  expect(customFields.map(({ key, text }) => [key, text])).toEqual([
    ['color', 'red'],
    ['legs', '4'],
  ]);
  form.setCustomFields([...customFields, { key: 'finish', kind: 'number', text: 'matt' }]);
  expect(form.getState().customFields[2]?.error).toEqual({ rule: 'number' });
  form.setCustomFields([...customFields, { key: 'finish', kind: 'text', text: 'matt' }]);
  expect((await form.save())?.metadata).toEqual({ color: 'red', legs: 4, finish: 'matt' });
});

it('a refusal that comes late is not shown in the item that was opened since', async () => {
  const { id } = await created({ name: newName() });
  const form = typedForm({ name: 'x'.repeat(151) });
  const { sent, release } = hold(isCreate);
  const saved = form.save();
  await sent;
  await form.open(id);
  release();
  await saved;
  expect(form.getState()).toMatchObject({ status: 'ready', errors: {}, item: { id } });
});

it('a conflict stays to be decided when something unreadable is typed and saved', async () => {
  const { id } = await created({ name: newName(), value: 1 });
  const form = await openForm(id);
  await update(id, { value: 2 });
  form.setValue('value', '3');
  await form.save();
  form.setValue('tax', 'abc');
  await form.save();
  expect(form.getState()).toMatchObject({ status: 'conflict', conflict: [{ name: 'value' }], errors: { tax: {} } });
});

it('is saved also where there is no MessageChannel', async () => {
  vi.stubGlobal('MessageChannel', undefined);
  expect(await typedForm({ name: newName() }).save()).toMatchObject({ revision: 1 });
});

describe('what others have changed', () => {
  it('is said after a save that keeps it', async () => {
    const { id } = await created({ name: newName(), metadata: { color: 'red' } });
    const form = await openForm(id);
    await update(id, { active: false, metadata: { color: 'blue' } });
    form.setValue('value', '3');
    expect(await form.save()).toMatchObject({ value: 3, active: false, metadata: { color: 'blue' } });
    const { notice, status } = form.getState();
    const by = 'editor';
    expect([status, notice]).toEqual([
      'saved',
      {
        code: 'others',
        others: [
          { name: 'active', from: true, to: false, by },
          { name: 'metadata.color', from: 'red', to: 'blue', by },
        ],
      },
    ]);
    expect(notice && textOf(notice, en)).toContain('active (false, editor)');
  });

  it('is said after an answer that was lost', async () => {
    const { id } = await created({ name: newName(), value: 1 });
    const form = await openForm(id);
    form.setValue('value', '2');
    lose(isUpdate);
    expect(await form.save()).toBeUndefined();
    expect(form.getState().notice).toEqual({ code: 'no_answer' });
    await update(id, { value: 7 });
    expect(await form.save()).toMatchObject({ value: 7 });
    const others = [{ name: 'value', from: 2, to: 7, by: 'editor' }];
    expect(form.getState().notice).toEqual({ code: 'others', others });
  });

  it('is to be decided for each field that the user has changed, too', async () => {
    const { id } = await created({ name: newName(), value: 1, qty: 1, metadata: { color: 'red', size: 1 } });
    const form = await openForm(id);
    await update(id, { value: 2, qty: 2, unit: 'kg', tag: 'theirs', metadata: { color: 'blue' } });
    form.setValue('value', '3');
    form.setValue('qty', '3');
    form.setCustomFields([
      { key: 'color', kind: 'text', text: 'green' },
      { key: 'size', kind: 'number', text: '1' },
    ]);
    await form.save();
    expect(form.getState()).toMatchObject({
      status: 'conflict',
      conflict: [
        { name: 'value', mine: 3, theirs: 2 },
        { name: 'qty', mine: [3, 'un'], theirs: [2, 'kg'] },
        { name: 'metadata.color', mine: 'green', theirs: 'blue' },
      ],
      notice: { code: 'conflict', user: 'editor', others: [{ name: 'tag', from: null, to: 'theirs', by: 'editor' }] },
    });
    await form.save();
    expect(form.getState()).toMatchObject({ status: 'conflict', notice: { code: 'undecided' } });
    for (const [name, isMine] of Object.entries({ value: true, qty: true, 'metadata.color': false }))
      form.decide(name, isMine);
    expect(form.getState()).toMatchObject({ status: 'ready', notice: { code: 'decided' } });
    expect(await form.save()).toMatchObject({ value: 3, qty: 3, unit: 'un', tag: 'theirs' });
    expect(await current(id)).toMatchObject({ metadata: { color: 'blue', size: 1 } });
  });
});

describe('a create without an answer', () => {
  /** Creates an item, and gets no answer. */
  async function lostForm(name: string, options: Partial<ItemFormOptions> = {}): Promise<ItemForm> {
    const form = typedForm({ name }, options);
    lose(isCreate);
    await form.save();
    expect(form.getState()).toMatchObject({ status: 'failed', notice: { code: 'no_answer' } });
    return form;
  }

  /** From now on, creates are refused, however often they are sent. */
  function refuseCreates(status: number, from = Promise.resolve()): void {
    hurry();
    const refusal = () => Response.json({ error: { code: 'X', message: 'X' } }, { status });
    meetAll((request, send) => (isCreate(request) ? from.then(refusal) : send()));
  }

  /** The same, and then saves something else. */
  async function askedForm(name: string, typed: Partial<Record<InputName, string>>): Promise<ItemForm> {
    const form = await lostForm(name);
    for (const [input, text] of Object.entries(typed)) form.setValue(input as InputName, text);
    await form.save();
    expect(form.getState()).toMatchObject({ status: 'unconfirmed', unconfirmed: { name } });
    return form;
  }

  it('is asked about if something else is typed by now, and then changed to that', async () => {
    const name = newName();
    const form = await askedForm(name, { value: '7' });
    expect(await form.resolveUnconfirmed('same')).toMatchObject({ name, value: 7, revision: 2 });
    expect([form.getState().status, (await named(name)).length]).toEqual(['saved', 1]);
  });

  it('is not changed to what is typed into another item that is opened meanwhile', async () => {
    const { id } = await created({ name: newName() });
    const form = await askedForm(newName(), { value: '7' });
    const { release } = hold(isCreate);
    const finished = form.resolveUnconfirmed('same');
    await form.open(id);
    form.setValue('value', '9');
    release();
    await finished;
    expect([form.getState().values['value'], (await current(id))?.revision]).toEqual(['9', 1]);
  });

  it('stays as it is if what is typed by now is another item', async () => {
    const name = newName();
    const form = await askedForm(name, { name: `${name} B` });
    const [another, again] = [form.resolveUnconfirmed('new'), form.resolveUnconfirmed('new')];
    expect([await another, await again]).toMatchObject([{ name: `${name} B` }, undefined]);
    expect(await named(name)).toMatchObject([{ name }, { name: `${name} B` }]);
    expect(storage.getItem('catalog.create')).toBeNull();
  });

  it.each([401, 429])('is forgotten if it was refused, and something else is typed by now: %i', async (status) => {
    const name = newName();
    const form = typedForm({ name });
    refuseCreates(status);
    await form.save();
    leave();
    form.setValue('name', `${name} B`);
    expect(await form.save()).toMatchObject({ name: `${name} B` });
    expect([(await named(name)).length, storage.getItem('catalog.create')]).toEqual([1, null]);
  });

  it('is not asked about in the form of another item that was opened meanwhile', async () => {
    const { id } = await created({ name: newName() });
    const form = typedForm({ name: newName() });
    const opened = Promise.withResolvers<void>();
    refuseCreates(503, opened.promise);
    const saving = form.save();
    await form.open(id);
    opened.resolve();
    await saving;
    form.setValue('value', '9');
    expect(await form.save()).toMatchObject({ id, value: 9 });
  });

  it('is not asked about in the form of another new item that was opened meanwhile', async () => {
    const [name, form] = [newName(), typedForm({ name: newName() })];
    const opened = Promise.withResolvers<void>();
    refuseCreates(503, opened.promise);
    const saving = form.save();
    await form.open();
    opened.resolve();
    await saving;
    leave();
    form.setValue('name', name);
    expect(await form.save()).toMatchObject({ name, revision: 1 });
  });

  it('is not sent twice by a form that is shown again while it saves', async () => {
    const [form, { sent, release }] = [typedForm({ name: newName() }), hold(isCreate)];
    const saved = form.save();
    await sent;
    const again: Request[] = [];
    meetAll((request, send) => {
      if (isCreate(request)) again.push(request);
      return send();
    });
    form.start();
    await pause(50);
    release();
    expect(await saved).toMatchObject({ revision: 1 });
    expect(again).toEqual([]);
  });

  it.each(['open', 'reset'] as const)('is not asked about once the user has begun another item: %s', async (leave) => {
    const form = await lostForm(newName());
    await form[leave]();
    const name = newName();
    form.setValue('name', name);
    expect(await form.save()).toMatchObject({ name });
  });

  it.each(['same', 'new'] as const)('is asked about once its key no longer protects it: %s', async (as) => {
    const name = newName();
    const form = await lostForm(name);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 });
    await form.save();
    expect(form.getState()).toMatchObject({ status: 'unconfirmed', isExpired: true });
    const again = createItem(client, { name }, { catalog, storage });
    await expect(again).rejects.toMatchObject({ code: 'CREATE_EXPIRED' });
    await form.resolveUnconfirmed(as);
    vi.useRealTimers();
    expect(await named(name)).toHaveLength(as === 'same' ? 1 : 2);
    expect(form.getState().values.name).toBe(as === 'same' ? '' : name);
  });

  it('is the same with its members in another order', async () => {
    const name = newName();
    const lost = { name, value: 5, metadata: { a: 1, b: 2 } };
    lose(isCreate);
    await expect(createItem(client, lost, { catalog, storage })).rejects.toMatchObject({ code: 'NO_ANSWER' });
    await createItem(client, { value: 5, metadata: { b: 2, a: 1 }, name }, { catalog, storage });
    expect(await named(name)).toHaveLength(1);
  });

  it('is told to the page if it is refused by the next visit', async () => {
    hurry();
    const name = 'x'.repeat(151);
    lose(isCreate);
    meetNext(isCreate, async () => Promise.reject(new TypeError('offline')));
    await expect(createItem(client, { name }, { catalog, storage })).rejects.toMatchObject({ code: 'NO_ANSWER' });
    const onRefused = vi.fn();
    newForm({ onRefused }).start();
    await vi.waitUntil(() => onRefused.mock.calls.length > 0, { timeout: 60_000 });
    expect(onRefused.mock.calls).toMatchObject([[{ name }, { status: 422 }]]);
  });

  it('is sent by the next visit until it is answered, once', async () => {
    hurry();
    const name = newName();
    await lostForm(name);
    meetNext(isCreate, async () => Response.json({ error: { code: 'X', message: 'X' } }, { status: 500 }));
    const { promise: saved, resolve: onSaved } = Promise.withResolvers<Item>();
    const stop = newForm({ onSaved }).start();
    expect(await saved).toMatchObject({ name });
    stop();
    expect(await named(name)).toHaveLength(1);
  });

  it('is the same if another form, client or visit has finished it behind its back', async () => {
    const name = newName();
    const form = await lostForm(name);
    const { promise: saved, resolve: onSaved } = Promise.withResolvers<Item>();
    newForm({ onSaved }).start();
    await saved;
    form.setOptions({ client: newClient(), catalog, storage });
    expect(await form.save()).toMatchObject({ name, revision: 1 });
    expect(await named(name)).toHaveLength(1);
  });

  it('is what its form shows once that has sent it again by itself', async () => {
    const name = newName();
    const form = await lostForm(name);
    form.setValue('tag', 'since');
    form.start();
    await vi.waitUntil(() => form.getState().item?.name === name, { timeout: 60_000 });
    expect(form.getState()).toMatchObject({ status: 'ready', values: { tag: 'since' } });
    expect(await form.save()).toMatchObject({ tag: 'since', revision: 2 });
  });

  it('is kept in memory, and that is said, if the storage is full', async () => {
    const refuse = () => {
      throw new DOMException('Refused', 'QuotaExceededError');
    };
    const full = { ...memoryStorage(), setItem: refuse };
    const name = newName();
    const form = typedForm({ name }, { storage: full });
    lose(isCreate);
    await form.save();
    expect(form.getState().notice?.code).toBe('not_kept');
    expect(await createItem(client, { name }, { catalog, storage: full })).toMatchObject({ name });
    expect(await form.save()).toMatchObject({ name });
    expect(await named(name)).toHaveLength(1);
  });
});

it('a form that others are always ahead of saves what is typed as soon as they are not', async () => {
  const { id } = await created({ name: newName(), value: 1 });
  const form = await openForm(id);
  form.setValue('value', '5');
  let tags = 0;
  meetAll(async (request, send) => {
    if (isUpdate(request) && request.headers.has('if-match')) await update(id, { tag: `${++tags}` });
    return send();
  });
  expect(await form.save()).toBeUndefined();
  expect(form.getState()).toMatchObject({ status: 'failed', notice: { error: 'PRECONDITION_FAILED', by: 'editor' } });
  leave();
  expect(await form.save()).toMatchObject({ value: 5, tag: '6' });
});
