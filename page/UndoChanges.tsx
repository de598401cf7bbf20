import { lastImports } from 'catalog-client/importRows';
import { useUndo } from 'catalog-client/react';
import { loadItems } from 'catalog-client/readItems';
import type { FieldReport, UndoTarget } from 'catalog-client/undo';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button, Field, More, StepTitle, submits, Table, type TableRow } from './elements.tsx';
import { usePage } from './language.ts';
import { addressOf } from './route.ts';

/** So many fields are shown. All are undone. */
const maxShown = 100;

interface Props {
  /** What may have been one. */
  readonly suggested: UndoTarget | undefined;
  readonly isShown: boolean;
}

export function UndoChanges({ suggested, isShown }: Props) {
  const { say, texts, client, catalog } = usePage();
  const undoing = useUndo(client, localStorage);
  const { step } = undoing;
  const by = `${catalog.account} ${catalog.user}`;
  /** One that was interrupted by a reload. */
  const [open] = useState(() => openIn(localStorage, by));
  const [target, setTarget] = useState<UndoTarget>(open ?? { users: [catalog.user], from: never, to: never });
  const { users, from, to, items } = target;
  const first = useRef<HTMLInputElement>(null);
  const type = (typed: UndoTarget) => {
    setTarget(typed);
    undoing.reset();
  };
  const take = (known: UndoTarget) => {
    type(known);
    first.current?.focus();
  };
  const takeSuggested = useEffectEvent(take);
  useEffect(() => {
    if (suggested !== undefined) takeSuggested(suggested);
  }, [suggested]);
  useEffect(() => {
    if (step === 'done') localStorage.removeItem('mistake');
  }, [step]);
  const start = () => {
    localStorage.setItem('mistake', JSON.stringify({ by, ...target }));
    undoing.start(target);
  };
  const isBusy = step === 'previewing' || step === 'undoing';
  const isInterrupted = step === 'paused' || (step === 'ready' && open === target);
  const isUseful = step === 'previewed' && backIn(undoing.report) > 0;

  return (
    <>
      {isShown && <LastImports take={take} />}
      <article aria-labelledby="undo-title">
        <StepTitle id="undo-title" step={step}>
          {say('undo_mistake')}
        </StepTitle>
        <form onSubmit={submits(() => undoing.preview(target))}>
          <div className="fields wide">
            <Field
              id="mistaken"
              ref={first}
              label={say('mistaken')}
              value={users.join()}
              onType={(name) => type({ users: [name], from, to })}
              hint={items && say('of_import', { count: items.length })}
              required
            />
            {(['from', 'to'] as const).map((name) => (
              <Field
                key={name}
                id={name}
                label={say(name)}
                type="datetime-local"
                step="any"
                value={inputTime(+target[name])}
                onType={(time) => type({ ...target, [name]: new Date(time) })}
                required
              />
            ))}
          </div>
          <div className="row">
            <Button type="submit" text={texts.steps.preview} disabled={isBusy} />
            {(isInterrupted || isUseful) && <Button className="main" text={say('undo')} onClick={start} />}
            {isBusy && <Button text={say('stop')} onClick={undoing.pause} />}
          </div>
        </form>
        <Report undoing={undoing} isInterrupted={isInterrupted} />
      </article>
    </>
  );
}

function LastImports({ take }: { take: (target: UndoTarget) => void }) {
  const { say, time, client, catalog } = usePage();
  const imports = lastImports(client, catalog, localStorage);
  if (imports.length === 0) return null;
  return (
    <article aria-labelledby="imports-title">
      <h2 id="imports-title">{say('last_imports')}</h2>
      {imports.map((each) => (
        <div key={`${+each.from} ${+each.to}`} className="row">
          <span className="rest">{say('import_of', { count: each.items?.length ?? 0, time: time(each.from) })}</span>
          <Button className="quiet" text={say('undo_import')} onClick={() => take(each)} />
        </div>
      ))}
    </article>
  );
}

/** The names of items by their ids. */
function useNames(ids: readonly number[]): ReadonlyMap<number, string> {
  const { client } = usePage();
  const [names, setNames] = useState<ReadonlyMap<number, string>>(new Map());
  const wanted = [...new Set(ids)].join();
  useEffect(() => {
    if (wanted === '') return;
    loadItems(client, wanted.split(',').map(Number))
      .then((items) => setNames(new Map(items.map(({ id, name }) => [id, name]))))
      .catch(() => undefined); // the ids are shown instead
  }, [client, wanted]);
  return names;
}

function openIn(storage: Storage, by: string) {
  const { by: owner, from, to, ...others } = JSON.parse(storage.getItem('mistake') ?? '{}');
  return owner === by ? ({ ...others, from: new Date(from), to: new Date(to) } as UndoTarget) : undefined;
}

/** What is not typed yet. */
const never = new Date(Number.NaN);

/** As inputs have it: in the user's time zone, without its name. */
const inputTime = (time: number): string =>
  Number.isNaN(time) ? '' : new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 23);

const backIn = (report: readonly FieldReport[]) => report.filter(({ result }) => result === 'put back').length;

interface ReportProps {
  readonly undoing: ReturnType<typeof useUndo>;
  readonly isInterrupted: boolean;
}

/** What would become, or has become, of each field. */
function Report({ undoing, isInterrupted }: ReportProps) {
  const { say, label, value, reason: reasonOf, texts } = usePage();
  const { step } = undoing;
  const progress = 'progress' in undoing ? undoing.progress : undefined;
  const report = step === 'previewed' ? undoing.report : (progress?.report ?? []);
  const fields = step === 'previewed' ? report : report.filter(({ result }) => result !== 'right already');
  const shown = fields.slice(0, maxShown);
  const names = useNames(step === 'previewed' || step === 'done' ? shown.map(({ item }) => item) : []);
  const rows = shown.map(({ item, field, before, given, now, result, by }): TableRow => {
    const said = reasonOf({ rule: result });
    const link = (
      <a key="item" href={addressOf(item)}>
        {names.get(item) ?? item}
      </a>
    );
    const values = [before, given, now].map((each) => (each === undefined ? '…' : value(field, each)));
    return [`${item} ${field}`, link, label(field), ...values, by ? say('by', { result: said, user: by }) : said];
  });
  return (
    <>
      <p role="status">{useReportText({ undoing, isInterrupted, stay: fields.length })}</p>
      {step === 'done' &&
        Array.from(progress?.rejected ?? [], ([id, reason]) => (
          <p key={id}>{say('item_refused', { name: names.get(id) ?? id, reason })}</p>
        ))}
      {rows.length > 0 && <Table id="targets" head={Object.entries(texts.report)} rows={rows} />}
      <More count={fields.length - rows.length} />
    </>
  );
}

/** A text alone, not a component: beside others, React could not remove one that the browser has translated. */
function useReportText({ undoing, isInterrupted, stay }: ReportProps & { readonly stay: number }): string {
  const { say, time, notice } = usePage();
  const { step } = undoing;
  if (isInterrupted) return say('undo_paused');
  if ('failure' in undoing && undoing.failure !== undefined) return notice(undoing.failure);
  if (step === 'ready' || step === 'failed') return '';
  const { known = 0, recorded = 0, changes = 0, newestWrite } = recordedIn(undoing) ?? {};
  const at = newestWrite === undefined ? '…' : time(newestWrite);
  if (step === 'previewing' && recorded < known) return say('undo_waiting', { recorded, known });
  if (step === 'previewing') return say('undo_previewing', { count: changes, time: at });
  const found = step === 'previewed' ? undoing.report : undoing.progress?.report;
  if ((step === 'previewed' || step === 'done') && found?.length === 0) return say('undo_nothing', { time: at });
  if (step === 'previewed')
    return say('undo_previewed', { count: backIn(undoing.report), stay: stay - backIn(undoing.report) });
  const { updates = 0, left = 0 } = undoing.progress ?? {};
  return say(`undo_${step}`, { count: updates, stay, left, time: at });
}

/** How far the changes are recorded, in each step that knows it. */
function recordedIn(undoing: ReportProps['undoing']) {
  if (undoing.step === 'previewing') return undoing.read;
  if (undoing.step === 'previewed') return undoing;
  return 'progress' in undoing ? undoing.progress : undefined;
}
