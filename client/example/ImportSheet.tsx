import type { Client } from 'catalog-client';
import { type RejectedRow, type SheetChoices, useImport } from 'catalog-client/react';
import { useState } from 'react';
import { counted } from './shownText.ts';

/** So many rejects are shown to be mended here. The others are in the download. */
const maxShown = 100;

export function ImportSheet({ client }: { client: Client }) {
  const sheets = useImport(client, localStorage);
  const [choices, choose] = useState<SheetChoices>({});
  const { step, sheet, progress, rejected } = sheets;
  const isBusy = step === 'reading' || step === 'looking' || step === 'importing';
  const take = (file: File | undefined) => file && sheets.take(file, choices);

  function download(): void {
    const blob = sheets.download();
    if (blob === undefined) return;
    const href = URL.createObjectURL(blob);
    Object.assign(document.createElement('a'), { href, download: 'rejects.csv' }).click();
    URL.revokeObjectURL(href);
  }

  return (
    <section id="import" aria-labelledby="import-title">
      <h2 id="import-title">Import a sheet</h2>
      <div className="row">
        <label>
          Rows
          <select
            id="match"
            value={choices.match ?? ''}
            onChange={({ target }) =>
              choose({ ...choices, match: (target.value || undefined) as SheetChoices['match'] })
            }
          >
            <option value="">are new items</option>
            <option value="sku">update items with their SKU</option>
            <option value="pn">update items with their part number</option>
          </select>
        </label>
        <label>
          Decimals
          <select
            id="decimals"
            value={choices.decimalMark ?? ''}
            onChange={({ target }) =>
              choose({ ...choices, decimalMark: (target.value || undefined) as SheetChoices['decimalMark'] })
            }
          >
            <option value="">as usual in such a file</option>
            <option value=".">1.5</option>
            <option value=",">1,5</option>
          </select>
        </label>
      </div>
      <label
        id="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          take(event.dataTransfer.files[0]);
        }}
      >
        Drop a CSV file here, or choose one
        <input
          id="sheet"
          type="file"
          accept=".csv,.txt,text/csv"
          onChange={({ target }) => {
            take(target.files?.[0]);
            target.value = '';
          }}
        />
      </label>
      <p className="row">
        {progress && <Bar {...progress} />}
        {step === 'looked' && progress && (
          <button id="start" className="main" type="button" onClick={() => sheets.start(choices)}>
            Import {counted(progress.done, 'row')}
          </button>
        )}
        {isBusy && (
          <button id="stop" type="button" onClick={sheets.stop}>
            Stop
          </button>
        )}
      </p>
      <p id="told" role="status">
        {told(sheets)}
      </p>
      {sheet && rejected.length > 0 && (
        <div id="mend">
          <Rejects
            columns={sheet.columns.filter((column) => !column.startsWith('reject_'))}
            rejected={rejected.slice(0, maxShown)}
            type={sheets.type}
          />
          <p>{rejected.length > maxShown && `${rejected.length - maxShown} more are in the download.`}</p>
          <p className="row">
            <button
              id="again"
              className="main"
              type="button"
              disabled={isBusy}
              onClick={() => sheets.sendAgain(choices)}
            >
              Send again
            </button>
            <button id="download" type="button" onClick={download}>
              Download
            </button>
          </p>
        </div>
      )}
    </section>
  );
}

const Bar = ({ done, refused, left }: { done: number; refused: number; left: number }) => (
  <progress id="bar" aria-label="Import" max={Math.max(done + refused + left, 1)} value={done + refused} />
);

function told({ step, progress, rejected, failure }: ReturnType<typeof useImport>): string {
  if (failure !== '' || progress === undefined) return failure || (step === 'reading' ? 'Reading…' : '');
  const { done, replayed, left, rowsPerSecond, isNoted } = progress;
  const isLook = step === 'looking' || step === 'looked';
  const parts = [
    isLook ? `${counted(done, 'row')} can be imported` : `${counted(done, 'row')} done`,
    `${rejected.length.toLocaleString()} rejected`,
  ];
  if (replayed > 0) parts.push(`${replayed.toLocaleString()} of them were there from before`);
  if (left > 0) parts.push(`${left.toLocaleString()} left`);
  if (rowsPerSecond >= 1 && !isLook) parts.push(`${Math.round(rowsPerSecond).toLocaleString()} a second`);
  if (left > 0 && !isNoted) parts.push('which the browser could not note: keep this page open');
  return `${parts.join(', ')}.`;
}

interface RejectsProps {
  readonly columns: readonly string[];
  readonly rejected: readonly RejectedRow[];
  readonly type: (line: number, column: string, text: string) => void;
}

function Rejects({ columns, rejected, type }: RejectsProps) {
  const isAt = (column: string, { field, path = '' }: RejectedRow['problems'][number]) =>
    [field, `${field}.${path.slice(1)}`].includes(column);
  return (
    <table id="rejects">
      <caption>To be mended here</caption>
      <thead>
        <tr>
          {['Line', ...columns, 'Why'].map((text) => (
            <th key={text}>{text}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rejected.map(({ line, cells, typed, problems }) => (
          <tr key={line}>
            <td>{line}</td>
            {columns.map((column) => (
              <td key={column} data-label={column}>
                <input
                  aria-label={column}
                  aria-invalid={problems.some((one) => isAt(column, one))}
                  value={typed?.[column] ?? cells[column] ?? ''}
                  onChange={({ target }) => type(line, column, target.value)}
                />
              </td>
            ))}
            <td className="why">
              {problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`).join('; ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
