import { parse } from 'csv-parse/browser/esm/sync';
import { readColumns, separatorIn } from '../portable/sheet/columns.ts';
import {
  type CsvRecord,
  decimalMarkBeside,
  LineCounter,
  readRecord,
  recordOptions,
  unreadableRest,
} from '../portable/sheet/records.ts';
import type { DecimalMark, SheetMessage, SheetRow } from './readSheet.ts';

const scope = globalThis as unknown as {
  onmessage: (event: { data: { file: Blob; decimalMark: DecimalMark | undefined } }) => Promise<void>;
  postMessage(message: SheetMessage): void;
};

scope.onmessage = async ({ data: { file, decimalMark } }) => {
  try {
    const bytes = await file.arrayBuffer();
    for (const message of messagesOf(bytes, decimalMark)) scope.postMessage(message);
  } catch (error) {
    scope.postMessage({ failure: (error as Error).message });
  }
};

/** Few enough for the page to take in one frame. */
const rowsAtOnce = 200;

function* messagesOf(bytes: ArrayBuffer, said: DecimalMark | undefined): Generator<SheetMessage, void> {
  const text = textOf(bytes);
  if (text === undefined) return yield { wrong: [] };
  const separator = separatorIn(text.slice(0, 65_536));
  const decimalMark = said ?? decimalMarkBeside(separator);
  const lines = new LineCounter();
  let isBroken = false;
  const records = parse(text, {
    ...recordOptions,
    delimiter: separator,
    on_skip: () => {
      isBroken = true;
      return undefined;
    },
  }) as unknown as CsvRecord[];
  const placed = records.map((one) => ({ cells: one.record, line: lines.lineOf(one) }));
  const { columns, wrong } = readColumns(placed.shift()?.cells ?? []);
  if (wrong.length > 0) return yield { wrong };
  const rows = placed.map(({ cells, line }) => rowOf(line, readRecord(cells, columns, decimalMark)));
  if (isBroken) rows.push(rowOf(lines.next, { ...unreadableRest, source: {} }));
  for (let start = 0; start < rows.length; start += rowsAtOnce) yield { rows: rows.slice(start, start + rowsAtOnce) };
  yield { columns, separator, decimalMark };
}

const rowOf = (line: number, { source, body, invalid }: ReturnType<typeof readRecord>): SheetRow => ({
  line,
  cells: source,
  body: body as SheetRow['body'],
  invalid: invalid.map(({ field, reason }) => ({ field, reason, rule: 'unreadable' })),
});

function textOf(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
