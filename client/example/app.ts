// What a frontend does with the catalog, on one page and without a framework.
import {
  type Answer,
  type Catalog,
  type Client,
  catalogClient,
  type Item,
  loadCatalog,
  messagesOf,
} from 'catalog-client';
import { createItem, forgetCreate, resumeCreate } from 'catalog-client/createItem';
import { type Change, listItemChanges } from 'catalog-client/followChanges';
import { forgetImports } from 'catalog-client/importRows';
import { ItemSearch } from 'catalog-client/itemSearch';
import { type LoadedItem, loadedItem, loadItem } from 'catalog-client/readItems';
import { saveItem } from 'catalog-client/saveItem';
import { forgetUndos } from 'catalog-client/undo';
import { byId, element, quoted } from './elements.ts';
import { openImport } from './importSheet.ts';
import { closeUndo, openUndo, suggestUndo } from './undoMistake.ts';

// The page starts no scripts by their addresses but its own: the worker that reads sheets.
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): void } };
const isOwn = (url: string) => new URL(url).origin === location.origin;
trustedTypes?.createPolicy('default', { createScriptURL: (url: string) => (isOwn(url) ? url : null) });

const [signIn, form, search] = [byId('sign-in'), byId('form'), byId<HTMLInputElement>('search')];
const inputs = [...form.querySelectorAll<HTMLInputElement>('[name]')];

/** Who is signed in, and the item in the form as it was loaded; undefined for a new one. */
let client: Client;
let catalog: Catalog;
let items: ItemSearch;
let loaded: LoadedItem | undefined;
/** Of what is typed. To save it again after no answer saves nothing twice. */
let key = crypto.randomUUID();

/** Does something for the user, and says above the buttons if it fails. */
const attempt = (act: () => Promise<void>) => () =>
  void act().catch((error: Error) => showMessages({ form: error instanceof TypeError ? noAnswer : error.message }));
const noAnswer = 'There was no answer. Try again.';

function showMessages({ form, inputs: reasons = {} }: { form: string; inputs?: Record<string, string> }): void {
  byId('message').textContent = form;
  for (const input of inputs) input.nextElementSibling?.replaceChildren(reasons[input.name] ?? '');
}

async function begin(token: string): Promise<void> {
  client = catalogClient('', async () => token);
  catalog = await loadCatalog(client);
  sessionStorage.setItem('token', token);
  byId('caller').textContent = `${catalog.user}, ${catalog.account}`;
  const mayEdit = catalog.permissions.includes('catalog:edit');
  byId<HTMLFieldSetElement>('fields').disabled = !mayEdit;
  if (mayEdit) openImport(client);
  if (mayEdit) openUndo(client, catalog);
  [signIn.hidden, byId('app').hidden] = [true, false];
  items = new ItemSearch(client, { onChange: attempt(showChanged) });
  openForm();
  // The page may have been closed or reloaded before the answer.
  attempt(async () => showAnswer(await resumeCreate(client, sessionStorage)))();
  attempt(() => items.load())();
}

async function showChanged(): Promise<void> {
  const [text, list] = [search.value, byId('items')];
  const found = await items.find(text, 12);
  const focused = [...list.children].findIndex((line) => line.contains(document.activeElement));
  if (text === search.value) list.replaceChildren(...found.map(listed));
  list.children[focused]?.querySelector('button')?.focus();
  const [shown, lines] = [loaded?.item.id, [] as HTMLElement[]];
  if (shown !== undefined)
    for await (const change of listItemChanges(client, shown)) if (lines.push(told(change)) === 10) break;
  if (shown === loaded?.item.id) byId('history').replaceChildren(...lines);
}

function listed(item: Item): HTMLElement {
  const price = element('b', item.value.toLocaleString(undefined, { minimumFractionDigits: 2 }));
  const button = element('button', element('span', item.name), price, element('small', item.sku ?? ''));
  button.ariaCurrent = String(item.id === loaded?.item.id);
  button.onclick = attempt(async () => openForm(await loadItem(client, item.id)));
  return element('li', button);
}

function told(change: Change): HTMLElement {
  const { updated_by, updated_at, kind, fields } = change;
  const undo = element('button', 'Undo what this user did');
  undo.hidden = !catalog.permissions.includes('catalog:edit');
  undo.onclick = () => suggestUndo(change);
  const head = element('div', updated_by, element('small', new Date(updated_at).toLocaleString()));
  const all = fields.map(({ field, path = '', from, to }) => `${field}${path}: ${quoted(from)} → ${quoted(to)}`);
  return element('li', head, element('small', kind === 'updated' ? all.join(', ') : kind), undo);
}

function openForm(opened?: LoadedItem): void {
  loaded = opened;
  byId('title').textContent = opened === undefined ? 'New item' : `Item ${opened.item.id}`;
  for (const input of inputs) input.value = before(input);
  byId('theirs').hidden = true;
  showMessages({ form: '' });
  attempt(showChanged)();
}

const before = ({ name }: HTMLInputElement) => String(loaded?.item[name as keyof Item] ?? '');

/** What the user has changed in the form, and nothing else. */
function changes(): Record<string, string | number | null> {
  const changed = inputs.filter((input) => input.value !== before(input));
  const typed = ({ type, value }: HTMLInputElement) =>
    value === '' ? null : type === 'number' ? Number(value) : value;
  return Object.fromEntries(changed.map((input) => [input.name, typed(input)]));
}

async function create(): Promise<void> {
  const resumed = await resumeCreate(client, sessionStorage);
  await showAnswer(resumed ?? (await createItem(client, catalog, sessionStorage, { name: '', ...changes() })));
}

async function save(form: LoadedItem): Promise<void> {
  const wanted = changes();
  if (Object.keys(wanted).length === 0) return showMessages({ form: 'Nothing has been changed.' });
  const answer = await saveItem(client, form, wanted, key);
  if (answer.conflict === undefined) return showAnswer(answer);
  // To save again replaces what somebody else has saved in these fields, which is shown at the inputs.
  loaded = answer.conflict;
  for (const input of inputs) if (!(input.name in wanted)) input.value = before(input);
  byId('theirs').hidden = false;
  const { item } = answer.conflict;
  const saved = Object.keys(changes()).map((name) => [name, `Saved: ${quoted(item[name as keyof Item])}`]);
  const text = `${item.updated_by} has saved this item too. Save again to keep yours.`;
  showMessages({ form: text, inputs: Object.fromEntries(saved) });
}

async function showAnswer(answer?: Answer<{ data: Item }>): Promise<void> {
  if (answer === undefined) return;
  if (answer.error !== undefined) return showMessages(messagesOf(answer.error));
  items.put(answer.data.data);
  openForm(loadedItem(answer.data.data));
}

signIn.onsubmit = (event) => {
  event.preventDefault();
  begin(byId<HTMLInputElement>('token').value.trim()).catch(refuse);
};
const refuse = (error: Error) => byId('refused').replaceChildren(error.message);
byId('sign-out').onclick = () => {
  forgetCreate(sessionStorage);
  forgetImports(localStorage);
  closeUndo();
  forgetUndos(localStorage);
  sessionStorage.removeItem('token');
  location.reload();
};
form.onsubmit = (event) => {
  event.preventDefault();
  attempt(async () => (loaded === undefined ? create() : save(loaded)))();
};
form.oninput = () => {
  key = crypto.randomUUID();
};
byId('new').onclick = () => openForm();
byId('theirs').onclick = () => openForm(loaded);
search.oninput = attempt(showChanged);
search.onfocus = attempt(() => items.load());
const token = sessionStorage.getItem('token');
if (token !== null) begin(token).catch(refuse);
