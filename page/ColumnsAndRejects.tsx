// The tables of an import: what each column is, and the rows that are rejected.
import type { RejectedRow } from 'catalog-client/sheetImport';
import { useState } from 'react';
import { useNames } from './Changes.tsx';
import { Button, Control, download, More, Table, type TableRow } from './elements.tsx';
import { usePage } from './language.ts';
import type { Sheets } from './useSheets.ts';

/** So many rejected rows are shown, to be fixed here. The others are in the download. */
const maxShown = 100;

/** Each column with its first cells, and what it is. */
export function Columns({ sheets }: { sheets: Sheets }) {
  const { columns } = sheets;
  const { say, texts } = usePage();
  const [chosen, choose] = useState(new Map<string, string>());
  const { metadata: _, row: __, ...fields } = texts.fields;
  const optionsOf = (name: string, target: string) => {
    const key = target.startsWith('metadata.') ? target.slice('metadata.'.length) : name;
    const custom = [`metadata.${key}`, say('custom_field', { name: key })] as const;
    // Those of another system are not ours.
    const offered = Object.entries(fields).filter(([field]) => !['id', 'revision'].includes(field) || field === target);
    return [['ignore', say('left_out')] as const, ...offered, custom];
  };
  const targetOf = ({ name, target, suggestion }: Sheets['columns'][number]) =>
    chosen.get(name) ?? target ?? (suggestion === 'metadata' ? `metadata.${name}` : suggestion) ?? 'ignore';
  const rows = columns.map((column): TableRow => {
    const { name, examples = [] } = column;
    const choice = (
      <Control
        key="meaning"
        aria-label={say('column_is', { name })}
        value={targetOf(column)}
        options={optionsOf(name, targetOf(column))}
        onType={(meaning) => choose(new Map(chosen).set(name, meaning))}
      />
    );
    return [name, <b key="name">{name}</b>, examples.slice(0, 3).join(' · '), choice];
  });
  return (
    <>
      <Table id="columns" head={Object.entries(texts.columns)} rows={rows} />
      <Button
        className="main"
        text={say('use_columns')}
        onClick={() => sheets.setColumns(new Map(columns.map((each) => [each.name, targetOf(each)])))}
      />
    </>
  );
}

/** The rejected rows, in the order of the file. */
export function Rejects({ sheets }: { sheets: Sheets }) {
  const { code, say, label, reason, texts } = usePage();
  const { sheet, columns, rejected } = sheets;
  const named = (sheet?.columns ?? []).filter((column) => !column.startsWith('reject_'));
  const targets = new Map(columns.map(({ name, target = name }) => [name, target]));
  const shown = rejected.slice(0, maxShown);
  const holders = shown.flatMap(({ problems }) => problems.flatMap((problem) => holderIn(problem) ?? []));
  const names = useNames(holders);
  const rows = shown.map(({ line, cells, problems }): TableRow => {
    const inputs = named.map((column) => (
      <Control
        key={column}
        aria-label={column}
        aria-invalid={isAt(targets.get(column) ?? column, problems) || undefined}
        value={cells[column] ?? ''}
        onType={(text) => sheets.editCell(line, column, text)}
      />
    ));
    const reasons = problems.map(
      (problem) =>
        `${label(problem.field + (problem.path ?? ''))}: ${reason({ ...problem, item: names.get(holderIn(problem) ?? 0) ?? holderIn(problem) })}`,
    );
    const wrong = (
      <span key="reason" className="wrong">
        {reasons.join(' ')}
      </span>
    );
    return [line, line, wrong, ...inputs];
  });
  const head: [string, string][] = named.map((column) => [column, column]);
  return (
    <section id="rejected">
      <h3>
        {rejected.length.toLocaleString(code)} {texts.counts.rejected}
      </h3>
      <Table id="rejects" head={[['', label('row')], ['reason', say('reason')], ...head]} rows={rows} />
      <More count={rejected.length - rows.length} />
      <div className="row">
        <Button id="again" className="main" text={say('retry_rejected')} onClick={sheets.retryRejected} />
        <Button className="quiet" text={say('download')} onClick={() => download('rejects.csv', sheets.rejects())} />
      </div>
    </section>
  );
}

/** The item that has the identifier of a row. */
const holderIn = (problem: object): number | undefined => ('item' in problem ? Number(problem.item) : undefined);

const isAt = (target: string, problems: RejectedRow['problems']) =>
  problems.some(({ field, path = '' }) => [field, `${field}.${path.slice(1)}`].includes(target));
