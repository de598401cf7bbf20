import type { Client } from 'catalog-client';
import { type RejectedRow, type SheetChoices, useImport } from 'catalog-client/react';
import { useState } from 'react';
import { Button, counted, Select, Table } from './elements.tsx';

/** So many rejects are shown to be mended here. The others are in the download. */
const maxShown = 100;

export function ImportSheet({ client }: { client: Client }) {
  const sheets = useImport(client, localStorage);
  const [choices, choose] = useState<SheetChoices>({});
  const { step, sheet, progress, rejected } = sheets;
  const isBusy = ['reading', 'looking', 'importing'].includes(step);
  const take = (file: File | undefined) => file && sheets.take(file, choices);
  const { done = 0, refused = 0, left = 0 } = progress ?? {};

  function download(): void {
    const href = URL.createObjectURL(sheets.rejects());
    Object.assign(document.createElement('a'), { href, download: 'rejects.csv' }).click();
    URL.revokeObjectURL(href);
  }

  return (
    <section id="import" aria-labelledby="import-title">
      <h2 id="import-title">Import a sheet</h2>
      <div className="row">
        <label htmlFor="match">Rows</label>
        <Select
          id="match"
          value={choices.match ?? ''}
          options={matches}
          onPick={(one) => choose({ ...choices, match: (one || undefined) as SheetChoices['match'] })}
        />
        <label htmlFor="decimals">Decimals</label>
        <Select
          id="decimals"
          value={choices.decimalMark ?? ''}
          options={decimals}
          onPick={(one) => choose({ ...choices, decimalMark: (one || undefined) as SheetChoices['decimalMark'] })}
        />
      </div>
      <label htmlFor="sheet">Drop a CSV file here, or choose one</label>
      <input
        id="sheet"
        type="file"
        accept=".csv,.txt,text/csv"
        onChange={({ target }) => {
          take(target.files?.[0]);
          target.value = '';
        }}
      />
      <p className="row">
        {progress && (
          <progress id="bar" aria-label="Import" max={Math.max(done + refused + left, 1)} value={done + refused} />
        )}
        {step === 'looked' && (
          <Button
            id="start"
            className="main"
            text={`Import ${counted(done, 'row')}`}
            onClick={() => sheets.start(choices)}
          />
        )}
        {isBusy && <Button id="stop" text="Stop" onClick={sheets.stop} />}
      </p>
      <p id="told" role="status">
        {told(sheets)}
      </p>
      {rejected.length > 0 && (
        <div id="mend">
          <Rejects columns={sheet?.columns ?? []} rejected={rejected.slice(0, maxShown)} type={sheets.type} />
          <p>{rejected.length > maxShown && `${rejected.length - maxShown} more are in the download.`}</p>
          <p className="row">
            <Button
              id="again"
              className="main"
              text="Send again"
              disabled={isBusy}
              onClick={() => sheets.sendAgain(choices)}
            />
            <Button id="download" text="Download" onClick={download} />
          </p>
        </div>
      )}
    </section>
  );
}

const matches = [
  ['', 'are new items'],
  ['sku', 'update items with their SKU'],
  ['pn', 'update items with their part number'],
] as const;
const decimals = [
  ['', 'as usual in such a file'],
  ['.', '1.5'],
  [',', '1,5'],
] as const;

function told({ step, progress, rejected, failure }: ReturnType<typeof useImport>): string {
  if (failure !== '' || progress === undefined) return failure || (step === 'reading' ? 'Reading…' : '');
  const { done, replayed, left, rowsPerSecond, isNoted } = progress;
  const isLook = step === 'looking' || step === 'looked';
  const parts = [
    `${counted(done, 'row')} ${isLook ? 'can be imported' : 'done'}`,
    `${rejected.length.toLocaleString()} rejected`,
  ];
  if (replayed > 0) parts.push(`${replayed.toLocaleString()} of them were there from before`);
  if (left > 0) parts.push(`${left.toLocaleString()} left`);
  if (left > 0 && rowsPerSecond >= 1) parts.push(`${Math.round(rowsPerSecond).toLocaleString()} a second`);
  if (left > 0 && !isNoted) parts.push('which the browser could not note: keep this page open');
  return `${parts.join(', ')}.`;
}

interface RejectsProps extends Pick<ReturnType<typeof useImport>, 'type'> {
  readonly columns: readonly string[];
  readonly rejected: readonly RejectedRow[];
}

function Rejects({ columns, rejected, type }: RejectsProps) {
  const named = columns.filter((column) => !column.startsWith('reject_'));
  const isAt = (column: string, problems: RejectedRow['problems']) =>
    problems.some(({ field, path = '' }) => [field, `${field}.${path.slice(1)}`].includes(column));
  const rows = rejected.map(({ line, cells, typed, problems }) => [
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
