// The tables of an import: what each column is, and the rows that are to be mended.
import type { RejectedRow } from 'catalog-client/sheetImport';
import { useState } from 'react';
import { Button, Select, Table, type TableRow } from './elements.tsx';
import { useLanguage } from './language.ts';
import type { Sheets } from './useSheets.ts';

/** So many rejects are shown to be mended here. The others are in the download. */
const maxShown = 100;

/** The first cells of the file, with a choice above each column. */
export function Columns({ sheets: { columns, acts } }: { sheets: Sheets }) {
  const { say, texts } = useLanguage();
  const [chosen, choose] = useState(new Map<string, string>());
  const { metadata: _, row: __, ...fields } = texts.fields;
  const optionsOf = (name: string, target = '') => {
    const key = target.startsWith('metadata.') ? target.slice('metadata.'.length) : name;
    const custom = [`metadata.${key}`, say('custom_field', { name: key })] as const;
    return [['ignore', say('left_out')] as const, ...Object.entries(fields), custom];
  };
  const targetOf = ({ name, target, suggestion }: Sheets['columns'][number]) =>
    chosen.get(name) ?? target ?? (suggestion === 'metadata' ? `metadata.${name}` : suggestion) ?? 'ignore';
  return (
    <fieldset id="columns">
      <legend>{say('columns_hint')}</legend>
      <div className="scroll">
        <table>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr>
              {columns.map((column) => (
                <td key={column.name}>
                  <Select
                    aria-label={say('column_is', { name: column.name })}
                    value={targetOf(column)}
                    options={optionsOf(column.name, column.target)}
                    onPick={(target) => choose(new Map(chosen).set(column.name, target))}
                  />
                </td>
              ))}
            </tr>
            {[0, 1, 2].map((row) => (
              <tr key={row}>
                {columns.map(({ name, examples = [] }) => (
                  <td key={name}>{examples[row]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Button
        id="use-columns"
        className="main"
        text={say('use_columns')}
        onClick={() => acts.tell(new Map(columns.map((column) => [column.name, targetOf(column)])))}
      />
    </fieldset>
  );
}

/** The rows that are to be mended, in the order of the file. */
export function Rejects({ sheets }: { sheets: Sheets }) {
  const { say, label, reason } = useLanguage();
  const { sheet, rejected, acts } = sheets;
  const named = (sheet?.columns ?? []).filter((column) => !column.startsWith('reject_'));
  const rows = rejected
    .slice(0, maxShown)
    .map(
      ({ line, cells, typed, problems }): TableRow => [
        line,
        line,
        ...named.map((column) => (
          <input
            key={column}
            aria-label={column}
            aria-invalid={isAt(targetOf(sheets, column), problems)}
            value={typed[column] ?? cells[column] ?? ''}
            onChange={({ target }) => acts.type(line, column, target.value)}
          />
        )),
        problems.map((problem) => `${label(problem.field + (problem.path ?? ''))}: ${reason(problem)}`).join(' '),
      ],
    );
  function download(): void {
    const href = URL.createObjectURL(new Blob([acts.rejects()], { type: 'text/csv' }));
    Object.assign(document.createElement('a'), { href, download: 'rejects.csv' }).click();
    URL.revokeObjectURL(href);
  }
  return (
    <div id="mend" tabIndex={-1}>
      <h3>{say('count_mend')}</h3>
      <Table id="rejects" head={[say('line_head'), ...named, say('reason')]} rows={rows} />
      {rejected.length > maxShown && <p>{say('and_more', { count: rejected.length - maxShown })}</p>}
      <p className="row">
        <Button id="again" text={say('look_again')} onClick={acts.mend} />
        <Button id="download" className="quiet" text={say('download')} onClick={download} />
      </p>
    </div>
  );
}

const targetOf = ({ columns }: Sheets, name: string) => columns.find((column) => column.name === name)?.target ?? name;

const isAt = (target: string, problems: RejectedRow['problems']) =>
  problems.some(({ field, path = '' }) => [field, `${field}.${path.slice(1)}`].includes(target));
