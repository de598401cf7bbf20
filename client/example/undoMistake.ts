// What a user did by mistake: looked at, and undone.
import type { Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { type FieldReport, type Mistake, preview, undo } from 'catalog-client/undo';
import { byId, counted, element, quoted } from './elements.ts';

const [form, table] = [byId<HTMLFormElement>('mistake'), byId<HTMLTableElement>('mistakes')];
const [user, from, to] = [...form.querySelectorAll('input')] as [HTMLInputElement, HTMLInputElement, HTMLInputElement];
const [undoAll, stop] = [byId('undo-all'), byId('stop-undo')];

/** So many fields are shown. All are undone. */
const maxShown = 100;
const second = 1_000;

let client: Client;
let stopped = new AbortController();

/** Call it after each sign-in. An undo that was interrupted can go on. */
export function openUndo(signedIn: Client): void {
  client = signedIn;
  byId('undo').hidden = false;
  const [name, since, until] = JSON.parse(localStorage.getItem('mistake') ?? '[]');
  if (name === undefined) return;
  [user.value, from.value, to.value] = [name, since, until];
  undoAll.hidden = false;
  tell('This undo was interrupted. Undo to go on.');
}

/** Fills in that a user's changes are meant, from one of them on until now. */
export function suggestUndo({ updated_by, recorded_at, updated_at }: Change): void {
  const first = Date.parse(recorded_at ?? updated_at);
  [user.value, from.value, to.value] = [updated_by, localTime(first), localTime(Math.max(Date.now(), first + second))];
  show([]);
  undoAll.hidden = true;
  byId('undo').scrollIntoView({ behavior: 'smooth' });
  user.focus();
}

/** As inputs have it: in the user's time zone, without its name. */
function localTime(time: number): string {
  const zone = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - zone).toISOString().slice(0, 19);
}

const mistake = (): Mistake => ({ users: [user.value.trim()], from: new Date(from.value), to: new Date(to.value) });

async function look(): Promise<void> {
  tell('Looking…');
  const report = await preview(client, mistake());
  show(report);
  const back = report.filter(({ result }) => result === 'put back').length;
  tell(`${counted(back)} fields would be put back, ${counted(report.length - back)} would stay as they are.`);
  undoAll.hidden = back === 0;
}

async function undoNow(): Promise<void> {
  stopped = new AbortController();
  const { signal } = stopped;
  [stop.hidden, undoAll.hidden] = [false, true];
  localStorage.setItem('mistake', JSON.stringify([user.value, from.value, to.value]));
  const onFailure = (error: unknown) => tell(`Trying again: ${(error as Error).message}`);
  for await (const { report, rejected, updates, left } of undo(client, mistake(), {
    storage: localStorage,
    signal,
    onFailure,
  })) {
    tell(`${counted(updates)} items updated, ${counted(left)} to go.`);
    if (left > 0) continue;
    const stay = report.filter(({ result }) => result !== 'right already');
    show(stay);
    const refused = [...rejected].map(([id, reason]) => `Item ${id} could not be updated: ${reason}.`);
    tell([`${counted(updates)} items updated, ${counted(stay.length)} fields are left to you.`, ...refused].join(' '));
  }
  stop.hidden = true;
  if (!signal.aborted) localStorage.removeItem('mistake');
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

const attempt = (act: () => Promise<void>) =>
  void act().catch((error: Error) => {
    stop.hidden = true;
    tell(error.message);
  });

form.onsubmit = (event) => {
  event.preventDefault();
  attempt(look);
};
form.oninput = () => {
  undoAll.hidden = true;
};
undoAll.onclick = () => attempt(undoNow);
stop.onclick = () => {
  stopped.abort();
  stop.hidden = true;
};
