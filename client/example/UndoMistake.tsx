import type { Catalog, Client } from 'catalog-client';
import { lastImports } from 'catalog-client/importRows';
import { useUndo } from 'catalog-client/react';
import { loadItems } from 'catalog-client/readItems';
import type { FieldReport, Mistake } from 'catalog-client/undo';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, submits, Table } from './elements.tsx';
import { useLanguage } from './language.ts';
import { addressOf } from './route.ts';

/** So many fields are shown. All are undone. */
const maxShown = 100;

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  /** What may have been one. */
  readonly suggested: Mistake | undefined;
  readonly isShown: boolean;
}

interface Typed {
  readonly user: string;
  readonly from: string;
  readonly to: string;
  /** Of an import. */
  readonly items?: readonly number[] | undefined;
}

export function UndoMistake({ client, catalog, suggested, isShown }: Props) {
  const { say } = useLanguage();
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
  const { items } = typed;
  const mistake: Mistake = { users: [typed.user.trim()], from: new Date(typed.from), to: new Date(typed.to), items };
  const type = (more: Partial<Typed>) => {
    setTyped({ ...typed, ...more });
    undoing.reset();
  };
  const take = (taken: Mistake) => {
    const { users, from, to } = taken;
    type({ user: users.join(), from: inputTime(+from), to: inputTime(+to), items: taken.items });
    user.current?.focus();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each suggestion
  useEffect(() => {
    if (suggested !== undefined) take(suggested);
  }, [suggested]);
  useEffect(() => {
    if (step === 'done') localStorage.removeItem('mistake');
  }, [step]);
  const start = () => {
    localStorage.setItem('mistake', JSON.stringify({ by, ...typed }));
    undoing.start(mistake);
  };
  const names = useNames(client, step === 'looked' || step === 'done' ? report : []);

  return (
    <>
      <LastImports imports={isShown ? lastImports(localStorage, catalog) : []} take={take} />
      <section id="undo" aria-labelledby="undo-title">
        <h2 id="undo-title">{say('undo_mistake')}</h2>
        <form id="mistake" onSubmit={submits(() => undoing.look(mistake))}>
          <div className="fields">
            <div className="field">
              <label htmlFor="mistaken">{say('mistaken')}</label>
              <input
                id="mistaken"
                ref={user}
                value={typed.user}
                onChange={({ target }) => type({ user: target.value, items: undefined })}
                required
              />
            </div>
            {(['from', 'to'] as const).map((name) => (
              <div key={name} className="field">
                <label htmlFor={name}>{say(name)}</label>
                <input
                  id={name}
                  type="datetime-local"
                  step="any"
                  value={typed[name]}
                  onChange={({ target }) => type({ [name]: target.value })}
                  required
                />
              </div>
            ))}
          </div>
          {items && <p>{say('of_import', { count: items.length })}</p>}
          <p className="row">
            <Button className="main" type="submit" text={say('preview')} disabled={isBusy} />
            {(isInterrupted || (step === 'looked' && backIn(report) > 0)) && (
              <Button id="undo-all" text={say('undo')} onClick={start} />
            )}
            {isBusy && <Button id="stop-undo" text={say('stop')} onClick={undoing.stop} />}
          </p>
        </form>
        <Told undoing={undoing} isInterrupted={isInterrupted} names={names} />
        <Report
          names={names}
          fields={step === 'looked' ? report : report.filter(({ result }) => result !== 'right already')}
        />
      </section>
    </>
  );
}

function LastImports({ imports, take }: { imports: readonly Mistake[]; take: (mistake: Mistake) => void }) {
  const { say, time } = useLanguage();
  return (
    <section aria-labelledby="imports-title">
      <h2 id="imports-title">{say('last_imports')}</h2>
      {imports.length === 0 && <p className="nothing">{say('no_imports')}</p>}
      <ul id="imports">
        {imports.map((each) => (
          <li key={+each.from} className="row">
            <span>{say('import_of', { count: each.items?.length ?? 0, time: time(each.from) })}</span>
            <Button className="quiet" text={say('undo_import')} onClick={() => take(each)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The names of the items of a report, by their ids. */
function useNames(client: Client, report: readonly FieldReport[]): ReadonlyMap<number, string> {
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const ids = [...new Set(report.slice(0, maxShown).map(({ item }) => item))].join();
  useEffect(() => {
    if (ids === '') return;
    loadItems(client, ids.split(',').map(Number))
      .then((items) => setNames(new Map(items.map(({ id, name }) => [id, name]))))
      .catch(() => undefined); // the ids are shown instead
  }, [client, ids]);
  return names;
}

function openIn(storage: Storage, by: string) {
  const { by: owner, ...typed } = JSON.parse(storage.getItem('mistake') ?? '{}');
  return owner === by ? (typed as Typed) : undefined;
}

/** As inputs have it: in the user's time zone, without its name. */
const inputTime = (time: number): string =>
  new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 23);

const backIn = (report: readonly FieldReport[]) => report.filter(({ result }) => result === 'put back').length;

interface ToldProps {
  readonly undoing: ReturnType<typeof useUndo>;
  readonly isInterrupted: boolean;
  readonly names: ReadonlyMap<number, string>;
}

const reportOf = (undoing: ToldProps['undoing']): readonly FieldReport[] => {
  if (undoing.step === 'looked') return undoing.report;
  return 'progress' in undoing ? (undoing.progress?.report ?? []) : [];
};

function Told({ undoing, isInterrupted, names }: ToldProps) {
  const { say, time, notice, texts } = useLanguage();
  const { step } = undoing;
  const report = reportOf(undoing);
  const stay = report.filter(({ result }) => result !== 'right already').length;
  const progress = 'progress' in undoing ? undoing.progress : undefined;
  const { updates = 0, left = 0, newestWrite, rejected = new Map<number, string>() } = progress ?? {};
  let text = '';
  if (isInterrupted) text = say('undo_open');
  else if ('failure' in undoing && undoing.failure !== undefined) text = notice(undoing.failure);
  else if (step === 'looking')
    text = say('preview_read', { count: undoing.read?.changes ?? 0, time: time(undoing.read?.readTo ?? new Date()) });
  else if (step === 'looked')
    text = say('preview_done', { count: backIn(report), stay: report.length - backIn(report) });
  else if (step === 'undoing')
    text = say('undoing', { count: updates, left, time: newestWrite ? time(newestWrite) : texts.none });
  else if (step === 'done') text = say('undone', { count: updates, stay });
  const refused = step === 'done' ? [...rejected] : [];
  return (
    <p id="undone" role="status">
      {[text, ...refused.map(([id, reason]) => say('item_refused', { name: names.get(id) ?? id, reason }))].join(' ')}
    </p>
  );
}

function Report({ fields, names }: { fields: readonly FieldReport[]; names: ToldProps['names'] }) {
  const { say, label, value, client } = useLanguage();
  const resultTexts: Readonly<Record<string, string>> = client;
  const rows = fields.slice(0, maxShown).map(({ item, field, before, given, now, result, by }) => {
    const said = resultTexts[result] ?? result;
    const cells: ReactNode[] = [before, given, now].map((each) => (each === undefined ? '…' : value(field, each)));
    const link = (
      <a key="item" href={addressOf(item)}>
        {names.get(item) ?? item}
      </a>
    );
    return [
      `${item} ${field}`,
      link,
      label(field),
      ...cells,
      by ? say('by', { result: said, user: by }) : said,
    ] as const;
  });
  const head = (['item', 'field', 'before', 'given', 'now', 'result_head'] as const).map((key) => say(key));
  return (
    <>
      {rows.length > 0 && <Table id="mistakes" head={head} rows={rows} />}
      {fields.length > maxShown && <small>{say('and_more', { count: fields.length - maxShown })}</small>}
    </>
  );
}
