import type { Catalog, Client } from 'catalog-client';
import type { Change } from 'catalog-client/followChanges';
import { useUndo } from 'catalog-client/react';
import type { FieldReport, Mistake } from 'catalog-client/undo';
import { useEffect, useRef, useState } from 'react';
import { counted, localTime, quoted } from './shownText.ts';

/** So many fields are shown. All are undone. */
const maxShown = 100;

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  /** From this change on until now, what its user did may be a mistake. */
  readonly suggested: Change | undefined;
}

export function UndoMistake({ client, catalog, suggested }: Props) {
  const undoing = useUndo(client, localStorage);
  const { step, report, failure } = undoing;
  const by = `${catalog.account} ${catalog.user}`;
  const [open] = useState(() => openIn(localStorage, by));
  const [typed, setTyped] = useState(open ?? { user: '', from: '', to: '' });
  const user = useRef<HTMLInputElement>(null);
  const isBusy = step === 'looking' || step === 'undoing';
  const mistake: Mistake = { users: [typed.user.trim()], from: new Date(typed.from), to: new Date(typed.to) };
  const back = report.filter(({ result }) => result === 'put back');
  const shown = step === 'looked' ? report : report.filter(({ result }) => result !== 'right already');
  const mayUndo = step === 'stopped' || (step === 'looked' && back.length > 0) || (step === 'ready' && open === typed);
  const type = (more: Partial<typeof typed>) => {
    setTyped({ ...typed, ...more });
    undoing.reset();
  };

  // Once for each suggestion.
  useEffect(() => {
    if (suggested === undefined) return;
    const first = Date.parse(suggested.updated_at);
    const to = Math.max(Date.now(), first + 1_000);
    type({ user: suggested.updated_by, from: inputTime(first), to: inputTime(to) });
    user.current?.focus();
  }, [suggested]);
  useEffect(() => {
    if (step === 'done') localStorage.removeItem('mistake');
  }, [step]);

  return (
    <section id="undo" aria-labelledby="undo-title">
      <h2 id="undo-title">Undo a mistake</h2>
      <form
        id="mistake"
        onSubmit={(event) => {
          event.preventDefault();
          undoing.look(mistake);
        }}
      >
        <label>
          Undo what this user did
          <input
            ref={user}
            value={typed.user}
            onChange={({ target }) => type({ user: target.value })}
            autoComplete="off"
            required
          />
        </label>
        <div className="row">
          {(['from', 'to'] as const).map((name) => (
            <label key={name}>
              {name === 'from' ? 'between' : 'and'}
              <input
                type="datetime-local"
                step="1"
                value={typed[name]}
                onChange={({ target }) => type({ [name]: target.value })}
                required
              />
              <small>{typed[name] && localTime(new Date(typed[name]))}</small>
            </label>
          ))}
        </div>
        <p className="row actions">
          <button className="main" type="submit" disabled={isBusy}>
            Look
          </button>
          {mayUndo && (
            <button
              id="undo-all"
              type="button"
              onClick={() => {
                localStorage.setItem('mistake', JSON.stringify({ by, ...typed }));
                undoing.start(mistake);
              }}
            >
              Undo
            </button>
          )}
          {isBusy && (
            <button id="stop-undo" type="button" onClick={undoing.stop}>
              Stop
            </button>
          )}
        </p>
      </form>
      <p id="undone" role="status">
        {failure ||
          (mayUndo && step === 'ready' ? 'This undo was interrupted. Undo to go on.' : told(undoing, back.length))}
      </p>
      {shown.length > 0 && <Report fields={shown.slice(0, maxShown)} />}
      <small>{shown.length > maxShown && `And ${(shown.length - maxShown).toLocaleString()} more.`}</small>
    </section>
  );
}

function openIn(storage: Storage, by: string) {
  const kept = JSON.parse(storage.getItem('mistake') ?? '{}');
  return kept.by === by ? { user: String(kept.user), from: String(kept.from), to: String(kept.to) } : undefined;
}

/** As inputs have it: in the user's time zone, without its name. */
function inputTime(time: number): string {
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function told(undoing: ReturnType<typeof useUndo>, back: number): string {
  const { step, report } = undoing;
  if (step === 'ready') return '';
  if (step === 'looking') {
    const { changes = 0, items = 0, readTo } = undoing.read ?? {};
    return `Looking… ${counted(changes, 'change')} read${readTo ? ` to ${localTime(readTo)}` : ''}, ${counted(items, 'item')}.`;
  }
  if (step === 'looked')
    return `${counted(back, 'field')} would be put back, ${report.length - back} would stay as they are.`;
  const { updates = 0, left = 0, newestWrite, rejected = new Map() } = undoing.progress ?? {};
  if (step === 'stopped') return 'Stopped. Undo to go on.';
  if (step === 'undoing')
    return `${counted(updates, 'update')} made, ${left} to go. Newest recorded change: ${newestWrite ? localTime(newestWrite) : 'none'}.`;
  const stay = report.filter(({ result }) => result !== 'right already').length;
  const refused = [...rejected].map(([id, reason]) => `Item ${id} could not be updated: ${reason}.`);
  return [`${counted(updates, 'update')} made, ${counted(stay, 'field')} left to you.`, ...refused].join(' ');
}

const Report = ({ fields }: { fields: readonly FieldReport[] }) => (
  <table id="mistakes">
    <caption>What was changed</caption>
    <thead>
      <tr>
        {['Item', 'Field', 'Before', 'By mistake', 'Now', 'Result'].map((text) => (
          <th key={text}>{text}</th>
        ))}
      </tr>
    </thead>
    <tbody>
      {fields.map(({ item, field, before, given, now, result, by }) => (
        <tr key={`${item} ${field}`}>
          <td>{item}</td>
          <td>{field}</td>
          <td data-label="Before">{quoted(before)}</td>
          <td data-label="By mistake">{quoted(given)}</td>
          <td data-label="Now">{quoted(now)}</td>
          <td>{by ? `${result}, by ${by}` : result}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
