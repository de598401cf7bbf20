import { type Catalog, type Client, textOf } from 'catalog-client';
import { en } from 'catalog-client/en';
import { useUndo } from 'catalog-client/react';
import type { FieldReport, Mistake } from 'catalog-client/undo';
import { useEffect, useRef, useState } from 'react';
import { Button, counted, localTime, quoted, submits, Table } from './elements.tsx';

/** So many fields are shown. All are undone. */
const maxShown = 100;

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  /** What may have been one. */
  readonly suggested: Mistake | undefined;
}

export function UndoMistake({ client, catalog, suggested }: Props) {
  const undoing = useUndo(client, localStorage);
  const { step } = undoing;
  const report = reportOf(undoing);
  const by = `${catalog.account} ${catalog.user}`;
  /** One that was interrupted by a reload. */
  const [open] = useState(() => openIn(localStorage, by));
  const [typed, setTyped] = useState<Typed>(open ?? { user: '', from: '', to: '' });
  const user = useRef<HTMLInputElement>(null);
  const isBusy = step === 'looking' || step === 'undoing';
  const isInterrupted = step === 'stopped' || (step === 'ready' && open === typed);
  const mistake: Mistake = {
    users: [typed.user.trim()],
    from: new Date(typed.from),
    to: new Date(typed.to),
    items: typed.items,
  };
  const type = (more: Partial<typeof typed>) => {
    setTyped({ ...typed, ...more });
    undoing.reset();
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each suggestion
  useEffect(() => {
    if (suggested === undefined) return;
    const { users, from, to, items } = suggested;
    type({ user: users.join(), from: inputTime(+from), to: inputTime(+to), items });
    user.current?.focus();
  }, [suggested]);
  useEffect(() => {
    if (step === 'done') localStorage.removeItem('mistake');
  }, [step]);
  const start = () => {
    localStorage.setItem('mistake', JSON.stringify({ by, ...typed }));
    undoing.start(mistake);
  };

  return (
    <section id="undo" aria-labelledby="undo-title">
      <h2 id="undo-title">Undo a mistake</h2>
      <form id="mistake" onSubmit={submits(() => undoing.look(mistake))}>
        <label htmlFor="mistaken">Undo what this user did</label>
        <input
          id="mistaken"
          ref={user}
          value={typed.user}
          onChange={({ target }) => type({ user: target.value, items: undefined })}
          required
        />
        {typed.items && <p>{`In the ${counted(typed.items.length, 'item')} of an import.`}</p>}
        <div className="row">
          {(['from', 'to'] as const).map((name) => (
            <div key={name}>
              <label htmlFor={name}>{name === 'from' ? 'between' : 'and'}</label>
              <input
                id={name}
                type="datetime-local"
                step="any"
                value={typed[name]}
                onChange={({ target }) => type({ [name]: target.value })}
                required
              />
              <small>{typed[name] && localTime(new Date(typed[name]))}</small>
            </div>
          ))}
        </div>
        <p className="row">
          <Button className="main" type="submit" text="Look" disabled={isBusy} />
          {(isInterrupted || (step === 'looked' && backIn(report) > 0)) && (
            <Button id="undo-all" text="Undo" onClick={start} />
          )}
          {isBusy && <Button id="stop-undo" text="Stop" onClick={undoing.stop} />}
        </p>
      </form>
      <p id="undone" role="status">
        {isInterrupted ? 'This undo was interrupted. Undo to go on.' : told(undoing)}
      </p>
      <Report fields={step === 'looked' ? report : report.filter(({ result }) => result !== 'right already')} />
    </section>
  );
}

function openIn(storage: Storage, by: string) {
  const { by: of, ...typed } = JSON.parse(storage.getItem('mistake') ?? '{}');
  return of === by ? (typed as Typed) : undefined;
}

interface Typed {
  readonly user: string;
  readonly from: string;
  readonly to: string;
  /** Of an import. */
  readonly items?: readonly number[] | undefined;
}

/** As inputs have it: in the user's time zone, without its name. */
const inputTime = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 23);

const backIn = (report: readonly FieldReport[]) => report.filter(({ result }) => result === 'put back').length;

const reportOf = (undoing: ReturnType<typeof useUndo>): readonly FieldReport[] => {
  if (undoing.step === 'looked') return undoing.report;
  return 'progress' in undoing ? (undoing.progress?.report ?? []) : [];
};

function told(undoing: ReturnType<typeof useUndo>): string {
  const { step } = undoing;
  if ('failure' in undoing && undoing.failure !== undefined) return textOf(undoing.failure, en);
  if (step === 'ready' || step === 'failed') return '';
  const { changes = 0, items = 0, readTo = new Date() } = (step === 'looking' && undoing.read) || {};
  if (step === 'looking')
    return `${counted(changes, 'change')} read to ${localTime(readTo)}, ${counted(items, 'item')}.`;
  const report = reportOf(undoing);
  const back = backIn(report);
  if (step === 'looked')
    return `${counted(back, 'field')} would be put back, ${report.length - back} would stay as they are.`;
  const { updates = 0, left = 0, newestWrite, rejected = new Map() } = undoing.progress ?? {};
  const newest = newestWrite ? localTime(newestWrite) : 'none';
  if (step !== 'done') return `${counted(updates, 'update')} made, ${left} to go. Newest recorded change: ${newest}.`;
  const stay = report.filter(({ result }) => result !== 'right already').length;
  const refused = [...rejected].map(([id, reason]) => `Item ${id} could not be updated: ${reason}.`);
  return [`${counted(updates, 'update')} made, ${counted(stay, 'field')} left to you.`, ...refused].join(' ');
}

function Report({ fields }: { fields: readonly FieldReport[] }) {
  const rows = fields
    .slice(0, maxShown)
    .map(({ item, field, before, given, now, result, by }) => [
      ...[item, field, quoted(before), quoted(given), quoted(now), by ? `${result}, by ${by}` : result],
    ]);
  const more = fields.length - maxShown;
  return (
    <>
      {rows.length > 0 && (
        <Table id="mistakes" head={['Item', 'Field', 'Before', 'By mistake', 'Now', 'Result']} rows={rows} />
      )}
      <small>{more > 0 && `And ${more.toLocaleString()} more.`}</small>
    </>
  );
}
