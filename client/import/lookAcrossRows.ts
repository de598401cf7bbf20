import type { Client } from '../http/catalogClient.ts';
import { dryRun } from './dryRun.ts';
import type { PlacedRow } from './planRows.ts';
import type { LookWarning, RowLook } from './rowLook.ts';
import { codeIn, type RowOptions } from './rows.ts';

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
