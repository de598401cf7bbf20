// The tables of an import: what each column is, and the rows that are rejected.
import type { RejectedRow } from 'catalog-client/sheetImport';
import { useState } from 'react';
import { useNames } from './Changes.tsx';
import { Button, Control, download, Field, More, Table, type TableRow } from './elements.tsx';
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
  const found = ({ name, target, suggestion }: Sheets['columns'][number]) =>
    target ?? (suggestion === 'metadata' ? `metadata.${name}` : suggestion) ?? 'ignore';
  const targetOf = (column: Sheets['columns'][number]) => chosen.get(column.name) ?? found(column);
  const rowOf = (column: Sheets['columns'][number]): TableRow => {
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
  };
  const head = Object.entries(texts.columns);
  const others = columns.filter((column) => found(column) === 'ignore');
  const isOpen = others.length < 10 || !columns.some((column) => found(column) === 'name');
  const keepOthers = () =>
    choose(new Map([...others.map(({ name }) => [name, `metadata.${name}`] as const), ...chosen]));
  return (
    <>
      <Table id="columns" head={head} rows={columns.filter((column) => !others.includes(column)).map(rowOf)} />
      {others.length > 0 && (
        <details open={isOpen}>
          <summary>{say('other_columns', { count: others.length })}</summary>
          <Table head={head} rows={others.map(rowOf)} />
          <Button text={say('keep_others')} onClick={keepOthers} />
        </details>
      )}
      <div id="use" className="row">
        {columns.every((column) => targetOf(column) !== 'name') && <mark>{say('needs_name')}</mark>}
        <Button
          className="main"
          text={say('use_columns')}
          onClick={() => sheets.setColumns(new Map(columns.map((each) => [each.name, targetOf(each)])))}
        />
      </div>
    </>
  );
}

/** Units and categories that the account does not have: each is said once, for all rows. */
function UnknownValues({ sheets }: { sheets: Sheets }) {
  const { say, label, catalog, may } = usePage();
  const known = {
    unit: catalog.units.map(({ unit }) => unit),
    category: catalog.categories.flatMap(({ name, archived }) => (archived ? [] : [name])),
  };
  return (['unit', 'category'] as const).flatMap((field) => {
    const column = sheets.columns.find(({ target }) => target === field || target === `${field}_name`)?.name ?? '';
    const rows = sheets.rejected.filter(({ problems }) => problems.some((problem) => problem.field === field));
    const written = ({ sheetRow }: RejectedRow) => sheetRow?.cells[column] ?? '';
    const values = [...new Set(rows.map(written))].filter((value) => value !== '');
    const fields = values.slice(0, maxShown).map((value) => {
      const same = rows.filter((row) => written(row) === value);
      const lines = same.map(({ line }) => line);
      return (
        <Field
          key={value}
          id={`${field} ${value}`}
          label={say('unknown_value', { field: label(field), value, count: same.length })}
          value={same[0]?.cells[column]}
          options={[value, ...known[field]].map((text) => [text, text])}
          onType={(text) => sheets.editCell(lines, column, text)}
        />
      );
    });
    const ask = values.length > 0 && !may('catalog:admin') && <small key={field}>{say('ask_to_add')}</small>;
    return [...fields, ask];
  });
}

/** The rejected rows, in the order of the file. */
export function Rejects({ sheets }: { sheets: Sheets }) {
  const { code, say, label, reason, texts } = usePage();
  const { step, sheet, columns, rejected } = sheets;
  const targets = new Map(columns.map(({ name, target = name }) => [name, target]));
  const isUsed = (column: string) => !column.startsWith('reject_') && targets.get(column) !== 'ignore';
  const named = (sheet?.columns ?? []).filter(isUsed);
  const shown = rejected.slice(0, maxShown);
  const names = useNames(shown.flatMap(({ problems }) => problems.flatMap(({ item }) => item ?? [])));
  const sentence = (problem: RejectedRow['problems'][number]) => {
    const { field, path = '', item } = problem;
    return `${label(field + path)}: ${reason({ ...problem, item: names.get(item ?? 0) ?? item })}`;
  };
  const lines = new Map<string, number[]>();
  for (const { line, problems } of rejected)
    for (const problem of problems) {
      const same = lines.get(sentence(problem));
      if (same === undefined) lines.set(sentence(problem), [line]);
      else same.push(line);
    }
  const common = [...lines].filter(([, { length }]) => length > 1);
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
    const wrong = problems.map((problem) => (
      <span key={sentence(problem)} className="wrong">
        {sentence(problem)}
      </span>
    ));
    return [line, line, wrong, ...inputs];
  });
  const head: [string, string][] = named.map((column) => [column, column]);
  return (
    <section id="rejected">
      <h3>{`${rejected.length.toLocaleString(code)} ${texts.counts.rejected}`}</h3>
      {common.slice(0, maxShown).map(([text, of]) => (
        <p key={text}>{`${say('lines', { lines: of.slice(0, 3).join(', '), count: of.length })} ${text}`}</p>
      ))}
      <UnknownValues sheets={sheets} />
      <Table id="rejects" head={[['', label('row')], ['reason', say('reason')], ...head]} rows={rows} />
      <More count={rejected.length - rows.length} />
      <div className="row">
        <Button
          id="again"
          className={step === 'previewed' ? 'outline' : 'main'}
          text={say('retry_rejected')}
          onClick={() => sheets.retryRejected().then(() => scrollTo({ top: 0 }))}
        />
        <Button className="quiet" text={say('download')} onClick={() => download('rejects.csv', sheets.rejects())} />
      </div>
    </section>
  );
}

const isAt = (target: string, problems: RejectedRow['problems']) =>
  problems.some(({ field, path = '' }) => [field, `${field}.${path.slice(1)}`].includes(target));
