import type { Catalog, Client } from 'catalog-client';
import { lastImports } from 'catalog-client/importRows';
import { type RowChoices, useImport } from 'catalog-client/react';
import type { Mistake } from 'catalog-client/undo';
import { Columns, Rejects, type Sheets } from './ColumnsAndRejects.tsx';
import { Button, Checkbox, Select } from './elements.tsx';
import { FieldChange } from './History.tsx';
import { useLanguage } from './language.ts';

/** So many rows of a kind are shown. */
const maxShown = 20;

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly undo: (mistake: Mistake | undefined) => void;
}

/** The steps that a user sees, and of which each state of the import is. */
const steps = ['step_file', 'step_columns', 'step_preview', 'step_import', 'step_result'] as const;
const stepOf = ({ step, progress }: Sheets): number =>
  ({ ready: 0, reading: 1, asked: 1, looking: 2, looked: 2, importing: 3, stopped: progress ? 3 : 2, done: 4 })[step];

export function ImportSheet({ client, catalog, undo }: Props) {
  const { say } = useLanguage();
  const sheets = useImport(client, catalog, localStorage);
  const { step, file, rejected } = sheets;
  const current = stepOf(sheets);
  return (
    <section id="import" aria-labelledby="import-title">
      <h2 id="import-title">{say('import_sheet')}</h2>
      <ol id="steps">
        {steps.map((each, index) => (
          <li key={each} aria-current={index === current ? 'step' : undefined} data-done={index < current}>
            {say(each)}
          </li>
        ))}
      </ol>
      <div className="drop" data-small={step !== 'ready'}>
        <label htmlFor="sheet">{file instanceof File ? file.name : say('choose_file')}</label>
        {file && <u>{say('other_file')}</u>}
        <input
          id="sheet"
          type="file"
          accept=".csv,.tsv,.txt,.xlsx,text/csv"
          aria-label={say(step === 'ready' ? 'choose_file' : 'other_file')}
          disabled={step === 'importing'}
          onChange={({ target }) => {
            if (target.files?.[0]) sheets.take(target.files[0]);
            target.value = '';
          }}
        />
      </div>
      {current < 3 && <Choices sheets={sheets} />}
      <Questions sheets={sheets} />
      {current === 1 && sheets.columns.length > 0 && <Columns sheets={sheets} />}
      {step === 'looked' && sheets.columns.length > 0 && (
        <details>
          <summary>{say('step_columns')}</summary>
          <Columns sheets={sheets} />
        </details>
      )}
      {step === 'looked' && <Preview sheets={sheets} />}
      <Running sheets={sheets} undo={() => undo(lastImports(localStorage, catalog)[0])} />
      {rejected.length > 0 && step !== 'importing' && step !== 'looking' && <Rejects sheets={sheets} />}
    </section>
  );
}

function Choices({ sheets: { answers, choices, choose, answer } }: { sheets: Sheets }) {
  const { say } = useLanguage();
  return (
    <div className="fields">
      <div className="field">
        <label htmlFor="match">{say('match')}</label>
        <Select
          id="match"
          value={choices.match ?? ''}
          options={[
            ['', say('match_id')],
            ['sku', say('match_sku')],
            ['pn', say('match_pn')],
          ]}
          onPick={(match) => choose({ match: (match || undefined) as RowChoices['match'] })}
        />
      </div>
      <div className="field">
        <label htmlFor="decimals">{say('decimals')}</label>
        <Select
          id="decimals"
          value={answers.decimal ?? ''}
          options={[
            ['', say('decimals_found')],
            ['.', '1.5'],
            [',', '1,5'],
          ]}
          onPick={(decimal) => answer('decimal', decimal)}
        />
      </div>
      <Checkbox
        id="create"
        label={say('create')}
        checked={choices.create !== false}
        onPick={(create) => choose({ create })}
      />
    </div>
  );
}

/** What only the user can know, each answered by a button. That columns are unknown is seen in their table. */
function Questions({ sheets: { questions, answer } }: { sheets: Sheets }) {
  const { notice } = useLanguage();
  return questions
    .filter(({ rule }) => rule !== 'columns')
    .map((question) => (
      <div key={question.option + question.rule} className="question" role="alert">
        <p>{notice(question)}</p>
        <p className="row">
          {question.readings.map((reading) => (
            <Button key={reading.answer} text={reading.shown} onClick={() => answer(question.option, reading.answer)} />
          ))}
        </p>
      </div>
    ));
}

/** What would become of the rows: counts that open. */
function Preview({ sheets }: { sheets: Sheets }) {
  const { say, notice } = useLanguage();
  const { sheet, look, rejected, start } = sheets;
  const read = sheet?.rows.filter(({ invalid }) => invalid.length === 0) ?? [];
  const rows = (look?.rows ?? []).map((row, index) => ({ ...row, read: read[index] }));
  const groups = {
    count_new: rows.filter(({ verdict }) => verdict === 'new'),
    count_changed: rows.filter(({ verdict }) => verdict === 'changed' || verdict === 'returning'),
    count_unchanged: rows.filter(({ verdict }) => verdict === 'unchanged'),
    count_known: rows.filter(({ verdict }) => verdict === 'known'),
  };
  const count = groups.count_new.length + groups.count_changed.length;
  const warnings = rows.flatMap(({ warning, read: row }) =>
    warning && row ? [`${say('line', { line: row.line })} ${warning}.`] : [],
  );
  return (
    <>
      <div id="preview">
        {Object.entries(groups).map(([name, group]) => (
          <details key={name} name="preview" data-count={group.length}>
            <summary>
              <b>{group.length.toLocaleString()}</b> {say(name as keyof typeof groups)}
            </summary>
            <ul>
              {group.slice(0, maxShown).map(({ read: row, changes, id }) => (
                <li key={row?.line}>
                  <b>{String(row?.body.name ?? row?.body.sku ?? row?.body.pn ?? id)}</b>{' '}
                  <small>{say('line', { line: row?.line ?? 0 })}</small>
                  <ul>
                    {changes?.map((change) => (
                      <li key={change.field + change.path}>
                        <FieldChange change={change} />
                      </li>
                    ))}
                  </ul>
                </li>
              ))}
              {group.length > maxShown && <li>{say('and_more', { count: group.length - maxShown })}</li>}
            </ul>
          </details>
        ))}
        <button type="button" data-count={rejected.length} onClick={() => document.getElementById('mend')?.focus()}>
          <b>{rejected.length.toLocaleString()}</b> {say('count_mend')}
        </button>
      </div>
      {[...(sheet?.warnings ?? []).map((each) => notice(each)), ...warnings.slice(0, 5)].map((warning) => (
        <p key={warning} className="warning">
          {warning}
        </p>
      ))}
      <p className="row">
        <Button id="start" className="main" text={say('start', { count })} disabled={count === 0} onClick={start} />
        <small>{say('looked')}</small>
      </p>
    </>
  );
}

/** How far it is, and what can be done with what runs, has stopped or is over. */
function Running({ sheets, undo }: { sheets: Sheets; undo: () => void }) {
  const { say } = useLanguage();
  const { step, sheet, look, progress, stop, start } = sheets;
  const isBusy = ['reading', 'looking', 'importing'].includes(step);
  const all = Math.max(sheet?.rows.length ?? 1, 1);
  const left = progress?.left ?? (step === 'importing' ? all : (look?.left ?? all));
  return (
    <>
      {(isBusy || step === 'stopped') && <progress id="bar" aria-label={say('import')} max={all} value={all - left} />}
      {step === 'done' && <progress id="bar" aria-label={say('import')} max={all} value={all} hidden />}
      <p id="told" role="status">
        {told(sheets, say)}
      </p>
      <p className="row">
        {isBusy && <Button id="stop" text={say('stop')} onClick={stop} />}
        {step === 'stopped' && look && progress && (
          <Button id="go-on" className="main" text={say('go_on')} onClick={start} />
        )}
        {(step === 'done' || step === 'stopped') && progress && (
          <Button id="undo-import" text={say('undo_import')} onClick={undo} />
        )}
      </p>
    </>
  );
}

function told({ step, look, sheet, progress, rejected, failure }: Sheets, say: ReturnType<typeof useLanguage>['say']) {
  const { created = 0, updated = 0, replayed = 0, left = 0, rowsPerSecond = 0, isNoted = true } = progress ?? {};
  const numbers = {
    created,
    updated,
    known: replayed,
    left,
    rate: Math.round(rowsPerSecond),
    rejected: rejected.length,
  };
  const count = sheet?.rows.length ?? 0;
  if (failure !== '') return failure;
  if (step === 'reading') return say('reading');
  if (step === 'looking') return say('looking', { done: count - (look?.left ?? count), count });
  if (step === 'importing') return say('progress', numbers) + (isNoted ? '' : ` ${say('not_noted')}`);
  if (step === 'stopped') return say('stopped');
  return step === 'done' ? say('result', numbers) : '';
}
