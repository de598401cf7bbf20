import type { Catalog, Client } from 'catalog-client';
import type { RowChoices } from 'catalog-client/sheetImport';
import type { Mistake } from 'catalog-client/undo';
import { Columns, Rejects } from './ColumnsAndRejects.tsx';
import { Button, Checkbox, Select } from './elements.tsx';
import { FieldChange } from './History.tsx';
import { useLanguage } from './language.ts';
import { type Sheets, useSheets } from './useSheets.ts';

/** So many rows of a kind are shown. */
const maxShown = 20;

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly undo: (mistake: Mistake | undefined) => void;
}

/** The steps that a user sees, and of which each state of the import is. */
const steps = ['step_file', 'step_columns', 'step_preview', 'step_import', 'step_result'] as const;
const stepOf = ({ step, progress }: Sheets): number => {
  if (step === 'stopped') return progress.done > 0 ? 3 : 2;
  return { ready: 0, failed: 0, reading: 1, asking: 1, looking: 2, looked: 2, sending: 3, done: 4 }[step];
};

export function ImportSheet({ client, catalog, undo }: Props) {
  const { say } = useLanguage();
  const sheets = useSheets(client, catalog);
  const { step, file, rejected, mistake } = sheets;
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
        <label htmlFor="sheet">{file ?? say('choose_file')}</label>
        {file !== undefined && <u>{say('other_file')}</u>}
        <input
          id="sheet"
          type="file"
          accept=".csv,.tsv,.txt,.xlsx,text/csv"
          aria-label={say(step === 'ready' ? 'choose_file' : 'other_file')}
          disabled={step === 'sending'}
          onChange={({ target }) => {
            if (target.files?.[0]) sheets.acts.take(target.files[0]);
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
      <Running sheets={sheets} undo={() => undo(mistake ?? undefined)} />
      {rejected.length > 0 && step !== 'sending' && <Rejects sheets={sheets} />}
    </section>
  );
}

function Choices({ sheets: { answers, choices, acts } }: { sheets: Sheets }) {
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
          onPick={(match) => acts.choose({ match: (match || undefined) as RowChoices['match'] })}
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
          onPick={(decimal) => acts.answer('decimal', decimal)}
        />
      </div>
      <Checkbox
        id="create"
        label={say('create')}
        checked={choices.create !== false}
        onPick={(create) => acts.choose({ create })}
      />
    </div>
  );
}

/** What only the user can know, each answered by a button. That columns are unknown is seen in their table. */
function Questions({ sheets: { questions, acts } }: { sheets: Sheets }) {
  const { say, notice } = useLanguage();
  const shown = (answer: string) => say(answer === 'id' ? 'match_own' : 'match_none');
  return questions
    .filter(({ rule }) => rule !== 'columns')
    .map((question) => (
      <div key={question.option + question.rule} className="question" role="alert">
        <p>{notice(question)}</p>
        <p className="row">
          {question.readings.map((reading) => (
            <Button
              key={reading.answer}
              text={question.option === 'match' ? shown(reading.answer) : reading.shown}
              onClick={() => acts.answer(question.option, reading.answer)}
            />
          ))}
        </p>
      </div>
    ));
}

/** What would become of the rows: counts that open. */
function Preview({ sheets }: { sheets: Sheets }) {
  const { say, notice, reason } = useLanguage();
  const { sheet, looks, rejected, acts } = sheets;
  const groups = {
    count_new: looks.filter(({ verdict }) => verdict === 'new'),
    count_changed: looks.filter(({ verdict }) => verdict === 'changed' || verdict === 'returning'),
    count_unchanged: looks.filter(({ verdict }) => verdict === 'unchanged'),
    count_known: looks.filter(({ verdict }) => verdict === 'known' || verdict === 'done'),
  };
  const count = groups.count_new.length + groups.count_changed.length;
  const warnings = looks.flatMap(({ warning, line }) =>
    warning ? [`${say('line', { line })}: ${reason({ ...warning, reason: warning.text })}`] : [],
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
              {group.slice(0, maxShown).map(({ line, name, changes, id }) => (
                <li key={line}>
                  <b>{name || id}</b> <small>{say('line', { line })}</small>
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
        <Button
          id="start"
          className="main"
          text={say('start', { count })}
          disabled={count === 0}
          onClick={acts.start}
        />
        <small>{say('looked')}</small>
      </p>
    </>
  );
}

/** How far it is, and what can be done with what runs, has stopped or is over. */
function Running({ sheets, undo }: { sheets: Sheets; undo: () => void }) {
  const { say } = useLanguage();
  const { step, progress, mistake, acts } = sheets;
  const isBusy = step === 'reading' || step === 'looking' || step === 'sending';
  const { done = 0, unchanged = 0, refused = 0, left = 0 } = progress ?? {};
  const all = Math.max(done + unchanged + refused + left, 1);
  const [value, max] = step === 'looking' ? [sheets.looked, sheets.total] : [all - left, all];
  return (
    <>
      {(isBusy || progress) && (
        <progress id="bar" aria-label={say('import')} max={max} value={value} hidden={step === 'done'} />
      )}
      <p id="told" role="status">
        <Told sheets={sheets} />
      </p>
      <p className="row">
        {isBusy && <Button id="stop" text={say('stop')} onClick={acts.stop} />}
        {step === 'stopped' && <Button id="go-on" className="main" text={say('go_on')} onClick={acts.goOn} />}
        {mistake && <Button id="undo-import" text={say('undo_import')} onClick={undo} />}
      </p>
    </>
  );
}

function Told({ sheets }: { sheets: Sheets }) {
  const { say, failure } = useLanguage();
  const { step, progress, rejected } = sheets;
  const { created = 0, updated = 0, replayed = 0, left = 0, rowsPerSecond = 0, isNoted = true } = progress ?? {};
  const numbers = {
    created,
    updated,
    known: replayed,
    left,
    rate: Math.round(rowsPerSecond),
    rejected: rejected.length,
  };
  if (sheets.failure !== null) return failure(sheets.failure);
  if (step === 'reading') return say('reading');
  if (step === 'looking') return say('looking', { done: sheets.looked, count: sheets.total });
  if (step === 'looked') return sheets.isOpen && say('open');
  if (step === 'sending') return say('progress', numbers) + (isNoted ? '' : ` ${say('not_noted')}`);
  if (step === 'stopped') return say('stopped');
  return step === 'done' && say('result', numbers);
}
