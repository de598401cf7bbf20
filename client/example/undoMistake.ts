// What a user did by mistake: looked at, and undone.
import type { Catalog, Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { type FieldReport, type Mistake, preview, undo } from 'catalog-client/undo';
import { byId, counted, element, quoted } from './elements.ts';

const [form, table] = [byId<HTMLFormElement>('mistake'), byId<HTMLTableElement>('mistakes')];
const [user, from, to] = [...form.querySelectorAll('input')] as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
const [undoAll, stop] = [byId('undo-all'), byId('stop-undo')];

/** So many fields are shown. All are undone. */
const maxShown = 100;
const slot = 'mistake';

let client: Client;
let caller: string;
/** What Undo undoes: what was looked at, or an undo that was interrupted. */
let chosen: Mistake | undefined;
let stopped = new AbortController();

/** Call it after each sign-in. An undo that was interrupted can go on. */
export function openUndo(signedIn: Client, catalog: Catalog): void {
  [client, caller] = [signedIn, `${catalog.account} ${catalog.user}`];
  byId('undo').hidden = false;
  const { by, users, ...times } = JSON.parse(localStorage.getItem(slot) ?? '{}');
  if (by !== caller) return;
  const open: Mistake = { users, from: new Date(times.from), to: new Date(times.to) };
  fill(users[0], open.from, open.to);
  choose(open);
  tell('This undo was interrupted. Undo to go on.');
}

/** Call it at sign-out. */
export function closeUndo(): void {
  stopped.abort();
  localStorage.removeItem(slot);
}

/** Fills in that a user's changes are meant, from one of them on until now. */
export function suggestUndo({ updated_by, updated_at }: Change): void {
  const first = Date.parse(updated_at);
  fill(updated_by, new Date(first), new Date(Math.max(Date.now(), first + 1_000)));
  choose(undefined);
  show([]);
  byId('undo').scrollIntoView({ behavior: 'smooth' });
  user.focus();
}

function fill(name: string, since: Date, until: Date): void {
  [user.value, from.value, to.value] = [name, localTime(since), localTime(until)];
}

/** As inputs have it: in the user's time zone, without its name. */
const localTime = (time: Date) => new Date(+time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

const typed = (): Mistake => ({ users: [user.value.trim()], from: new Date(from.value), to: new Date(to.value) });

function choose(mistake: Mistake | undefined): void {
  chosen = mistake;
  undoAll.hidden = mistake === undefined;
}

async function look(): Promise<void> {
  const mistake = typed();
  tell('Looking…');
  const report = await preview(client, mistake);
  if (JSON.stringify(mistake) !== JSON.stringify(typed())) return;
  show(report);
  const back = report.filter(({ result }) => result === 'put back').length;
  tell(`${counted(back)} fields would be put back, ${counted(report.length - back)} would stay as they are.`);
  choose(back > 0 ? mistake : undefined);
}

async function undoChosen(mistake: Mistake): Promise<void> {
  stopped.abort();
  stopped = new AbortController();
  const { signal } = stopped;
  choose(undefined);
  stop.hidden = false;
  localStorage.setItem(slot, JSON.stringify({ by: caller, ...mistake }));
  tell('Looking…');
  const onFailure = (error: unknown) => tell(`Trying again: ${(error as Error).message}`);
  const options = { storage: localStorage, signal, onFailure };
  try {
    for await (const { report, rejected, updates, left, newestWrite } of undo(client, mistake, options)) {
      if (signal.aborted) return;
      const recorded = newestWrite === undefined ? 'none' : new Date(newestWrite).toLocaleString();
      tell(`${counted(updates)} updates made, ${counted(left)} to go. Newest recorded change: ${recorded}.`);
      if (left > 0) continue;
      const stay = report.filter(({ result }) => result !== 'right already');
      show(stay);
      const refused = [...rejected].map(([id, reason]) => `Item ${id} could not be updated: ${reason}.`);
      tell([`${counted(updates)} updates made, ${counted(stay.length)} fields are left to you.`, ...refused].join(' '));
      localStorage.removeItem(slot);
    }
  } finally {
    const isOpen = localStorage.getItem(slot) !== null;
    if (stopped.signal === signal) {
      stop.hidden = true;
      choose(isOpen ? mistake : undefined);
    }
  }
}

const tell = (text: string) => byId('undone').replaceChildren(text);

function show(report: readonly FieldReport[]): void {
  const heads = ['Item', 'Field', 'Before', 'By mistake', 'Now', ''].map((text) => element('th', text));
  const lines = report.slice(0, maxShown).map(({ item, field, before, given, now, result, by }) => {
    const cells = [
      String(item),
      field,
      quoted(before),
      quoted(given),
      quoted(now),
      by ? `${result}, by ${by}` : result,
    ];
    return element('tr', ...cells.map((text) => element('td', text)));
  });
  table.replaceChildren(...(lines.length === 0 ? [] : [element('tr', ...heads), ...lines]));
  const more = report.length - maxShown;
  byId('more-mistakes').textContent = more > 0 ? `And ${counted(more)} more.` : '';
}

const attempt = (act: () => Promise<void>) => void act().catch((error: Error) => tell(error.message));

form.onsubmit = (event) => {
  event.preventDefault();
  attempt(look);
};
form.oninput = () => choose(undefined);
undoAll.onclick = () => attempt(async () => chosen && undoChosen(chosen));
stop.onclick = () => {
  stopped.abort();
  tell('Stopped. Undo to go on.');
};
