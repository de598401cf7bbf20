import { type ImportRow, identifierNames, type RowChoices } from 'catalog-client/sheetImport';
import { useEffect } from 'react';
import { ChangeTable, type ItemChange, type Undo } from './Changes.tsx';
import { Columns, Rejects } from './ColumnsAndRejects.tsx';
import { Button, Checkbox, download, Field, More, Question, StepTitle } from './elements.tsx';
import { usePage } from './language.ts';
import { type Sheets, useSheets } from './useSheets.ts';

/** A file to begin with, with an example. */
const template = '\ufeffname,sku,value,category_name,description\r\n"Oak desk",DESK-1,499.90,,"160 × 80 cm"\r\n';

/** So many rows of a kind are shown. */
const maxShown = 20;

/** Which of the steps that a user sees it is, counted from 0. */
function stepOf({ step, progress }: Sheets): number {
  if (step === 'ready' || step === 'failed') return 0;
  if (step === 'reading' || step === 'asking') return 1;
  if (step === 'sending' || (step === 'stopped' && progress.done > 0)) return 3;
  return step === 'done' ? 4 : 2;
}

export function ImportSheet({ undo, onWritten }: { readonly undo: Undo; readonly onWritten: () => void }) {
  const { say, texts } = usePage();
  const sheets = useSheets();
  const { step, file, rejected, columns, undoTarget } = sheets;
  const current = stepOf(sheets);
  useEffect(() => {
    if (undoTarget !== null) onWritten();
  }, [undoTarget, onWritten]);
  return (
    <article aria-labelledby="import-title">
      <StepTitle id="import-title" step={step}>
        {say('import')}
      </StepTitle>
      <ol id="steps" className="row">
        {Object.values(texts.steps).map((each, index) => (
          <li key={each} aria-current={index === current ? 'step' : undefined}>
            {each}
          </li>
        ))}
      </ol>
      <p>
        <label>
          {say('choose_file')}
          <input
            id="sheet"
            type="file"
            accept=".csv,.tsv,.txt,.xlsx,text/csv"
            disabled={step === 'sending'}
            // The same file can be chosen again, once it is another one.
            onClick={({ currentTarget }) => Object.assign(currentTarget, { value: '' })}
            onChange={({ target }) => target.files?.[0] && sheets.load(target.files[0])}
          />
        </label>
      </p>
      {file === undefined && (
        <Button className="quiet" text={say('template')} onClick={() => download('template.csv', template)} />
      )}
      {file !== undefined && current < 3 && <Choices sheets={sheets} />}
      <Questions sheets={sheets} />
      {step === 'previewed' && <KnownRows sheets={sheets} />}
      {(step === 'asking' || step === 'previewed') && columns.length > 0 && (
        <details open={step === 'asking'}>
          <summary>{texts.steps.columns}</summary>
          <Columns sheets={sheets} />
        </details>
      )}
      {step === 'previewed' && <Preview sheets={sheets} />}
      <Running sheets={sheets} undo={undo} />
      {rejected.length > 0 && step !== 'sending' && <Rejects sheets={sheets} />}
    </article>
  );
}

function Choices({ sheets }: { sheets: Sheets }) {
  const { answers, choices, withoutPrice } = sheets;
  const { say, label } = usePage();
  const matches = identifierNames.map((name) => [name, say('match_field', { field: label(name) })] as const);
  return (
    <div className="fields wide">
      <Field
        id="match"
        label={say('match')}
        value={choices.match ?? ''}
        options={[['', say('match_id')], ...matches]}
        onType={(match) => sheets.setOptions({ match: (match || undefined) as RowChoices['match'] })}
      />
      <Field
        id="decimals"
        label={say('decimals')}
        value={answers.decimal ?? ''}
        options={Object.entries({ '': say('decimals_found'), '.': '1.5', ',': '1,5' })}
        onType={(decimal) => sheets.answer('decimal', decimal)}
      />
      <Checkbox
        id="create"
        label={say('create')}
        checked={choices.create !== false}
        onPick={(create) => sheets.setOptions({ create })}
      />
      {(withoutPrice.length > 0 || choices.withoutPrice !== undefined) && (
        <Checkbox
          id="without-price"
          label={say('leave_without_price')}
          checked={choices.withoutPrice === 'skip'}
          onPick={(leave) => sheets.setOptions({ withoutPrice: leave ? 'skip' : 'create' })}
        />
      )}
    </div>
  );
}

/** The questions that only the user can answer, but for unknown columns, which the table of columns shows. */
function Questions({ sheets }: { readonly sheets: Sheets }) {
  const { say, notice } = usePage();
  const matches: Readonly<Record<string, string>> = { id: say('match_own'), none: say('match_none') };
  return sheets.questions
    .filter(({ rule }) => rule !== 'columns')
    .map((question) => (
      <Question
        key={question.option + question.rule}
        text={notice(question)}
        answers={question.readings.map(({ answer, shown }) => [
          question.option === 'match' ? (matches[answer] ?? shown) : shown,
          () => sheets.answer(question.option, answer),
        ])}
      />
    ));
}

/** Offers to update the items that have the identifiers of rejected rows. */
function KnownRows({ sheets }: { readonly sheets: Sheets }) {
  const { say, label } = usePage();
  const taken = sheets.rejected.flatMap(({ problems }) => problems.filter(({ item }) => item !== undefined));
  const match = identifierNames.find((name) => taken.some(({ field }) => field === name));
  if (match === undefined) return null;
  const field = label(match);
  const ofMatch = taken.filter((problem) => problem.field === match);
  const inactive = ofMatch.filter(({ rule }) => rule === 'taken_by_inactive').length;
  const count = ofMatch.length - inactive;
  return (
    <>
      {inactive > 0 && (
        <Question
          text={say('inactive_rows', { count: inactive, field })}
          answers={[[say('reactivate', { count: inactive }), sheets.reactivateItems]]}
        />
      )}
      {count > 0 && sheets.choices.match === undefined && (
        <Question
          text={say('known_rows', { count, field })}
          answers={[[say('update_known', { count }), () => sheets.setOptions({ match })]]}
        />
      )}
    </>
  );
}

/** Its name, or else the identifier by which its item is known. */
const nameOf = ({ body, id }: ImportRow) =>
  body.name ?? identifierNames.map((name) => body[name]).find((text) => typeof text === 'string') ?? id;

/** The values of a new item, as changes from nothing. */
const valuesIn = ({ body: { name, metadata, ...others } }: ImportRow) =>
  Object.entries({ ...others, ...metadata }).map(([field, to]) => ({ field, from: null, to }));

/** The rows by their outcomes: counts that open. */
function Preview({ sheets }: { sheets: Sheets }) {
  const { code, say, texts } = usePage();
  const { rows } = sheets;
  const rowsOf = (...outcomes: string[]) => rows.filter(({ outcome }) => outcomes.includes(outcome));
  const groups = (
    [
      ['new', rowsOf('create')],
      ['changed', rowsOf('update', 'reactivate', 'sending')],
      ['unchanged', rowsOf('unchanged')],
      ['known', rowsOf('duplicate', 'done')],
    ] as const
  ).filter(([, { length }]) => length > 0);
  const count = rowsOf('create', 'update', 'reactivate', 'sending').length;
  const changesOf = (row: ImportRow): readonly ItemChange[] => {
    const item = (
      <>
        <b>{nameOf(row)}</b> <small>{say('line', { line: row.line })}</small>
      </>
    );
    const changes = row.changes ?? valuesIn(row);
    if (changes.length === 0) return [{ item, change: undefined }];
    return changes.map((change, index) => ({ item: index === 0 && item, change }));
  };
  return (
    <>
      <div id="preview">
        {groups.map(([name, group]) => (
          <details key={name} name="preview">
            <summary>
              <b>{group.length.toLocaleString(code)}</b> {texts.counts[name]}
            </summary>
            <ChangeTable changes={group.slice(0, maxShown).flatMap(changesOf)} />
            <More count={group.length - maxShown} />
          </details>
        ))}
      </div>
      <Warnings sheets={sheets} />
      <div className="row">
        <Button
          id="start"
          className="main"
          text={say('start', { count })}
          disabled={count === 0}
          onClick={sheets.start}
        />
        <small>{say('previewed')}</small>
      </div>
    </>
  );
}

/** Warnings of possibly unintended values. Missing categories can be added by users who may configure. */
function Warnings({ sheets }: { sheets: Sheets }) {
  const { sheet, rows, withoutPrice } = sheets;
  const { say, notice, reason, may, reload } = usePage();
  const { warnings = [], unknownCategories = [] } = sheet ?? {};
  const ofRows = rows.flatMap(({ warning, line }) =>
    warning ? [`${say('line', { line })}: ${reason({ ...warning, reason: warning.text })}`] : [],
  );
  const [line = 0] = withoutPrice;
  const ofPrices = line > 0 ? [say('without_price', { count: withoutPrice.length, line })] : [];
  const isMissing = unknownCategories.some(({ isArchived }) => !isArchived);
  const shown = [...warnings.map((each) => notice(each)), ...ofPrices, ...ofRows.slice(0, 5)];
  return (
    <>
      {shown.map((warning) => (
        <p key={warning}>
          <mark>{warning}</mark>
        </p>
      ))}
      {isMissing && may('catalog:admin') && (
        <Button text={say('add_categories')} onClick={() => sheets.addCategories().then(reload)} />
      )}
    </>
  );
}

/** How far it is, and what can be done with what runs, has stopped or is over. */
function Running({ sheets, undo }: { readonly sheets: Sheets; readonly undo: Undo }) {
  const { say } = usePage();
  const { step, progress, undoTarget } = sheets;
  const isBusy = step === 'reading' || step === 'previewing' || step === 'sending';
  const { done = 0, unchanged = 0, rejected = 0, left = 0 } = progress ?? {};
  const all = Math.max(done + unchanged + rejected + left, 1);
  const [value, max] = step === 'previewing' ? [sheets.previewed, sheets.total] : [all - left, all];
  return (
    <>
      {(isBusy || progress) && <progress aria-label={say('import')} max={max} value={value} hidden={step === 'done'} />}
      <p role="status">{useProgressText(sheets)}</p>
      {isBusy && <Button text={say('stop')} onClick={sheets.pause} />}
      {step === 'stopped' && <Button className="main" text={say('resume')} onClick={sheets.resume} />}{' '}
      {undoTarget && <Button text={say('undo_import')} onClick={() => undo(undoTarget)} />}
    </>
  );
}

/** A text alone, not a component: beside others, React could not remove one that the browser has translated. */
function useProgressText(sheets: Sheets): string {
  const { say, failure } = usePage();
  const { step, progress, rejected } = sheets;
  if (sheets.failure !== null) return failure(sheets.failure);
  if (step === 'ready' || step === 'asking' || step === 'failed') return '';
  if (step === 'reading') return say('loading');
  if (step === 'adding') return say('saving');
  if (step === 'previewed') return sheets.isOpen ? say('open') : '';
  if (step === 'previewing') return say(step, { done: sheets.previewed, count: sheets.total });
  const { created = 0, updated = 0, replayed = 0, left = 0, rowsPerSecond = 0, isSaved = true } = progress ?? {};
  const rate = Math.round(rowsPerSecond);
  const text = say(step, { created, updated, known: replayed, left, rate, rejected: rejected.length });
  return isSaved ? text : `${text} ${say('not_saved')}`;
}
