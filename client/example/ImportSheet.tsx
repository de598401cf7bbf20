import type { Catalog, Client } from 'catalog-client';
import { lastImports } from 'catalog-client/importRows';
import type { RejectedRow, RowChoices } from 'catalog-client/sheetImport';
import type { Mistake } from 'catalog-client/undo';
import { useState } from 'react';
import { Button, Checkbox, counted, labels, Select, Table } from './elements.tsx';
import { useSheets } from './useSheets.ts';

/** So many rejects are shown to be mended here. The others are in the download. */
const maxShown = 100;

type Sheets = ReturnType<typeof useSheets>;

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly undo: (mistake: Mistake | undefined) => void;
}

export function ImportSheet({ client, catalog, undo }: Props) {
  const sheets = useSheets(client, catalog);
  const { step, progress, rejected, choices } = sheets;
  const isBusy = ['reading', 'looking', 'sending'].includes(step);
  const isSending = step === 'sending';

  function download(): void {
    const href = URL.createObjectURL(new Blob([sheets.rejects()], { type: 'text/csv' }));
    Object.assign(document.createElement('a'), { href, download: 'rejects.csv' }).click();
    URL.revokeObjectURL(href);
  }

  return (
    <section id="import" aria-labelledby="import-title">
      <h2 id="import-title">Import a sheet</h2>
      <label htmlFor="sheet">Drop a CSV or Excel file here, or choose one</label>
      <input
        id="sheet"
        type="file"
        disabled={isSending}
        accept=".csv,.txt,.xlsx,text/csv"
        onChange={({ target }) => {
          if (target.files?.[0]) sheets.take(target.files[0]);
          target.value = '';
        }}
      />
      <div className="row">
        <label htmlFor="match">Rows</label>
        <Select
          id="match"
          value={choices.match ?? ''}
          options={matches}
          onPick={(one) => sheets.choose({ match: (one || undefined) as RowChoices['match'] })}
        />
        <label htmlFor="decimals">Decimals</label>
        <Select
          id="decimals"
          value={sheets.answers.decimal ?? ''}
          options={decimals}
          onPick={(one) => sheets.answer('decimal', one)}
        />
        <Checkbox
          id="create"
          label="Others are new items"
          checked={choices.create !== false}
          onPick={(create) => sheets.choose({ create })}
        />
      </div>
      <Questions sheets={sheets} />
      {sheets.columns.length > 0 && <Columns key={sheets.columns.map(({ name }) => name).join()} sheets={sheets} />}
      <p className="row">
        {(isBusy || progress) && <Bar sheets={sheets} />}
        {step === 'looked' && <Button id="start" className="main" text="Import" onClick={sheets.start} />}
        {isBusy && <Button id="stop" text="Stop" onClick={sheets.stop} />}
        {step === 'stopped' && <Button id="go-on" className="main" text="Go on" onClick={sheets.goOn} />}
        {(step === 'done' || (step === 'stopped' && progress !== undefined && progress.done > 0)) && (
          <Button
            id="undo-import"
            text="Undo this import"
            onClick={() => undo(lastImports(localStorage, catalog)[0])}
          />
        )}
      </p>
      <p id="told" role="status">
        {told(sheets)}
      </p>
      {rejected.length > 0 && (
        <div id="mend">
          <Rejects sheets={sheets} />
          <p>{rejected.length > maxShown && `${rejected.length - maxShown} more are in the download.`}</p>
          <p className="row">
            <Button id="again" text="Look again" disabled={isBusy} onClick={sheets.mend} />
            <Button id="download" text="Download" onClick={download} />
          </p>
        </div>
      )}
    </section>
  );
}

const matches = Object.entries({
  '': 'are new items, or those of their id',
  sku: 'update items with their SKU',
  pn: 'update items with their part number',
});

const decimals = Object.entries({ '': 'as found', '.': '1.5', ',': '1,5' });

/** What only the user can know, each answered by a button. */
const Questions = ({ sheets: { questions, answer } }: { sheets: Sheets }) =>
  questions.map(({ option, text, readings }) => (
    <div key={option} role="alert">
      <p>{text}</p>
      {option !== 'columns' &&
        readings.map((one) => <Button key={one.answer} text={one.shown} onClick={() => answer(option, one.answer)} />)}
    </div>
  ));

/** A choice under each heading of the file. */
function Columns({ sheets: { columns, tell } }: { sheets: Sheets }) {
  const [chosen, choose] = useState(new Map<string, string>());
  const optionsOf = (name: string) =>
    Object.entries({
      ignore: 'left out',
      ...labels,
      active: 'Active',
      [`metadata.${name}`]: `custom field ${name}`,
      id: 'Id',
      revision: 'Revision',
      category_name: 'Name of the category',
    });
  const targetOf = (name: string) => {
    const { target, suggestion } = columns.find((one) => one.name === name) ?? {};
    return chosen.get(name) ?? target ?? suggestion ?? 'ignore';
  };
  return (
    <fieldset id="columns">
      <legend>Columns</legend>
      <div className="row">
        {columns.map(({ name, target }, index) => (
          <div key={name}>
            <label htmlFor={`column-${index}`}>{name}</label>
            <Select
              id={`column-${index}`}
              value={targetOf(name)}
              options={optionsOf(target?.startsWith('metadata.') ? target.slice(9) : name)}
              onPick={(one) => choose(new Map(chosen).set(name, one))}
            />
          </div>
        ))}
      </div>
      <Button
        id="use-columns"
        text="Use these columns"
        onClick={() => tell(new Map(columns.map(({ name }) => [name, targetOf(name)])))}
      />
    </fieldset>
  );
}

/** How many rows are looked at, or decided. */
function Bar({ sheets }: { sheets: Sheets }) {
  const { progress, looked = 0, total = 0 } = { looked: undefined, total: undefined, ...sheets };
  const decided = progress === undefined ? 0 : progress.done + progress.refused;
  const [value, max] = progress === undefined ? [looked, total] : [decided, decided + progress.left];
  return <progress id="bar" aria-label="Import" max={Math.max(max, 1)} value={value} />;
}

function told(sheets: Sheets): string {
  const { step, sheet, look, progress, rejected, failure } = sheets;
  if (failure !== '' || step === 'ready' || step === 'asking' || step === 'failed') return failure;
  if (step === 'looking')
    return `Looking at ${sheets.looked.toLocaleString()} of ${sheets.total.toLocaleString()} rows…`;
  if (progress === undefined && look === undefined) return 'Reading…';
  const refused = `${counted(rejected.length, 'row')} rejected`;
  if (progress === undefined || look !== undefined) {
    const warnings = (look?.rows ?? []).flatMap(({ line, warning }) =>
      warning ? [`Line ${line} ${warning.text}.`] : [],
    );
    const { new: added, changed, unchanged, known, returning } = look?.counts ?? {};
    const counts = { new: added, changed: changed + returning, unchanged, 'there from before': known };
    const parts = Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([text, count]) => `${count.toLocaleString()} ${text}`);
    return [
      `${[...parts, refused].join(', ')}.`,
      ...(sheet?.warnings ?? []).map(({ text }) => text),
      ...warnings.slice(0, 5),
    ].join(' ');
  }
  const { created, updated, replayed, left, rowsPerSecond, isNoted } = progress;
  const parts = [`${counted(created, 'item')} created`, `${updated.toLocaleString()} updated`];
  // Also those of a request that was carried out, and got no answer.
  if (replayed > 0) parts.push(`${replayed.toLocaleString()} there from before`);
  parts.push(refused);
  if (left > 0) parts.push(`${left.toLocaleString()} left, ${Math.round(rowsPerSecond).toLocaleString()} a second`);
  if (left > 0 && !isNoted) parts.push('which the browser could not note: keep this page open');
  return `${parts.join(', ')}.`;
}

function Rejects({ sheets: { sheet, rejected, type } }: { sheets: Sheets }) {
  const named = (sheet?.columns ?? []).filter((column) => !column.startsWith('reject_'));
  const isAt = (column: string, problems: RejectedRow['problems']) =>
    problems.some(({ field, path = '' }) => [field, `${field}.${path.slice(1)}`].includes(column));
  const rows = rejected
    .slice(0, maxShown)
    .map(({ line, cells, typed, problems }) => [
      line,
      ...named.map((column) => (
        <input
          key={column}
          aria-label={column}
          aria-invalid={isAt(column, problems)}
          value={typed?.[column] ?? cells[column] ?? ''}
          onChange={({ target }) => type(line, column, target.value)}
        />
      )),
      problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`).join('; '),
    ]);
  return <Table id="rejects" head={['Line', ...named, 'Why']} rows={rows} />;
}
