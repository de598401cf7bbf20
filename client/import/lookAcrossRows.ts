import type { IdentifierName } from '../../lib/item/fields.ts';
import { canonicalIdentifier } from '../../lib/item/text.ts';
import type { Client, Item, Schemas } from '../http/catalogClient.ts';
import { retryUntilDone } from '../http/retryUntilDone.ts';
import { loadItems } from '../items/readItems.ts';
import { dryRun } from './dryRun.ts';
import { nameOf, type PlacedRow } from './planRows.ts';
import type { LookWarning, RowLook } from './rowLook.ts';
import { codeIn, type Row, type RowOptions, type RowProblem } from './rows.ts';

const isHeld = (problem: RowProblem): problem is Schemas['TakenIdentifier'] => 'item' in problem;

/** Two rows may not trade one code in the same import: whichever was written first would be refused. */
export async function tellTrades(
  client: Client,
  rows: readonly Row[],
  looks: RowLook[],
  options: RowOptions,
): Promise<void> {
  const { match } = options;
  const ids = looks.flatMap(({ error }) => (error?.fields ?? []).filter(isHeld).map(({ item }) => item));
  if (ids.length === 0) return;
  const load = () => loadItems(client, [...new Set(ids)], options);
  const holders = new Map(
    (await retryUntilDone(load, { ...options, inBackground: true }))?.map((item) => [item.id, item]),
  );
  const places = new Map(rows.map((row, index) => [row.id ?? (match && codeIn(row, match)), index] as const));
  /** The place of the row that gives the holder of a code another one, counted from 0. */
  const giverOf = (holder: Item, field: IdentifierName): number | undefined => {
    const index = places.get(holder.id) ?? places.get((match && holder[match]) ?? '') ?? -1;
    const { [index]: { [field]: wanted } = {} } = rows;
    return wanted === undefined || canonicalIdentifier(wanted ?? '') === holder[field] ? undefined : index;
  };
  const problemBeside = (problem: RowProblem): RowProblem => {
    const holder = isHeld(problem) ? holders.get(problem.item) : undefined;
    const index = holder && isHeld(problem) ? giverOf(holder, problem.field as IdentifierName) : undefined;
    if (index === undefined) return problem;
    // If that row is refused as well, neither can be the first.
    const advice =
      looks[index]?.error === undefined ? 'import that one first' : 'first give one of them a code that no item has';
    const reason = `has the code of ${nameOf(options, index + 1)}: ${advice}`;
    return { field: problem.field, rule: 'trade', reason, other: index + 1 };
  };
  for (const [index, look] of looks.entries()) {
    const { error } = look;
    if (error?.fields !== undefined)
      looks[index] = { ...look, error: { ...error, fields: error.fields.map(problemBeside) } };
  }
}

/** Other systems take codes for one that differ only in case. */
export async function warnOfCase(
  client: Client,
  rows: readonly PlacedRow[],
  looks: RowLook[],
  options: RowOptions,
): Promise<void> {
  const { match } = options;
  if (match === undefined) return;
  const variants = rows.flatMap(({ place, row }): PlacedRow[] => {
    const code = (looks[place - 1]?.verdict === 'new' && codeIn(row, match)) || '';
    const others = [...new Set([code.toUpperCase(), code.toLowerCase()])].filter((variant) => variant !== code);
    return others.map((variant) => ({ place, row: { [match]: variant }, key: undefined, isMatched: true }));
  });
  for await (const answers of dryRun(client, variants, { match, create: false }, options))
    for (const { place, row, result } of answers) {
      const { [place - 1]: look } = looks;
      const { [match]: code } = row;
      if (result.id === undefined || look === undefined || typeof code !== 'string') continue;
      const text = `has a ${match} that differs only in case from ${code}, which item ${result.id} has`;
      const warning: LookWarning = { rule: 'differs_in_case', field: match, code, item: result.id, text };
      looks[place - 1] = { ...look, warning };
    }
}
