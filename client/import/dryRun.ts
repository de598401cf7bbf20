import type { Client } from '../http/catalogClient.ts';
import { divideRows, noResult, type RowResult, sendBatches } from '../http/sendBatches.ts';
import { nameOf, type PlacedRow } from './planRows.ts';
import type { RowOptions } from './rows.ts';

/** Tells what the service would answer to rows, a batch at a time. */
export async function* dryRun(
  client: Client,
  asked: readonly PlacedRow[],
  { match, create }: RowOptions,
  options: RowOptions,
): AsyncGenerator<(PlacedRow & { readonly result: RowResult })[], void> {
  const batches = divideRows(asked, ({ row }) => row).map((some) => ({
    some,
    dry_run: true,
    match: { ...(match !== undefined && { field: match }), ...(create === false && { create }) },
    rows: some.map(({ row, key }) => ({ row, key: row.id === undefined ? key : undefined })),
  }));
  for await (const { batch, results } of sendBatches(client, batches, options)) {
    const placeAt = (row: number) => batch.some[row - 1]?.place ?? 0;
    yield batch.some.map((row, index) => ({ ...row, result: inPlace(results[index] ?? noResult, placeAt, options) }));
  }
}

/** Names the other row in the reasons of a result by its place among all, not in its batch. */
function inPlace(result: RowResult, placeAt: (row: number) => number, options: RowOptions): RowResult {
  const { error } = result;
  if (error?.fields === undefined) return result;
  const fields = error.fields.map((field) => {
    if (!('row' in field) || field.row === undefined) return field;
    const row = placeAt(field.row);
    return { ...field, row, reason: `is also in ${nameOf(options, row)}` };
  });
  return { ...result, error: { ...error, fields } };
}
