import { createWriteStream, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings';
import { presentItem } from '../../lib/http/presenter.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { showAccount } from '../../lib/operator/accounts.ts';
import { columnsOf, csvLine, csvLineOf, maxCustomColumns } from '../../lib/operator/itemFile/csvLines.ts';
import { exportItems } from '../../lib/operator/itemFile/exportItems.ts';
import { linesOf } from '../../lib/operator/itemFile/readRows.ts';
import { operator, operatorSession } from '../../lib/operator/operatorSession.ts';
import { RateLimiter } from '../../lib/operator/rateLimiter.ts';
import { usageError } from '../cli/options.ts';
import { showProgress } from '../cli/showProgress.ts';
import type { TableActionOn } from './adminProgram.ts';
import { accountOption, rateOption } from './options.ts';

const formats = ['csv', 'jsonl'] as const;
type Format = (typeof formats)[number];

export const formatOption = () =>
  new Option('--format <format>', 'if the name of the file does not end with it').choices(formats);

/** The format of a file, by the option or its name. */
export function formatOf(file: string, given: Format | undefined): Format {
  const format = given ?? formats.find((one) => extname(file) === `.${one}`);
  if (format === undefined) throw usageError("Give '--format', or a file whose name ends with .csv or .jsonl");
  return format;
}

export function addExportCommand(items: CommandUnknownOpts, onTable: TableActionOn): void {
  items
    .command('export')
    .description('Writes all items of an account to a CSV or JSON Lines file, which item import takes back.')
    .argument('<file>', 'the file; - writes to standard output')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(formatOption())
    .addOption(rateOption())
    .action(
      onTable(async ({ database }, values, path: string) => {
        const format = formatOf(path, values.format);
        const { categories } = await showAccount(operatorSession(database, values.account), values.account);
        const caller = operator(values.account);
        const folder = mkdtempSync(join(tmpdir(), 'catalog-export-'));
        const customFields = new Set<string>();
        let exported = 0;
        async function* jsonLines() {
          for await (const item of exportItems(
            database,
            values.account,
            new RateLimiter(values.rate, database.clock),
          )) {
            exported += 1;
            for (const key of Object.keys(item.metadata))
              if (customFields.size < maxCustomColumns) customFields.add(key);
            yield `${JSON.stringify(presentItem(item, categories.get(item.category ?? 0)?.name ?? null, caller))}\n`;
          }
        }
        const endProgress = showProgress(() => `${exported.toLocaleString('en')} items exported`);
        try {
          // The header of a CSV file names all custom fields, so the items are first written to another file.
          const spool = join(folder, 'items.jsonl');
          if (format === 'csv') await pipeline(jsonLines(), createWriteStream(spool));
          await write(path, format === 'csv' ? csvLines(spool, [...customFields].sort()) : jsonLines());
        } finally {
          endProgress();
          rmSync(folder, { recursive: true });
        }
        if (path === '-') return undefined;
        return { text: `${exported} items were exported to ${path}.`, data: { exported } };
      }),
    );
}

/** Replaces a file only when everything has been written. */
async function write(path: string, lines: AsyncGenerator<string>): Promise<void> {
  if (path === '-') return pipeline(lines, process.stdout, { end: false });
  const part = `${path}.part`;
  try {
    await pipeline(lines, createWriteStream(part));
    renameSync(part, path);
  } finally {
    rmSync(part, { force: true });
  }
}

/** The byte order mark tells spreadsheets that the file is UTF-8. */
async function* csvLines(spool: string, customFields: readonly string[]): AsyncGenerator<string> {
  let columns: readonly string[] | undefined;
  for await (const line of linesOf(spool)) {
    const item: JsonObject = JSON.parse(line);
    if (columns === undefined) {
      columns = columnsOf(Object.keys(item), customFields);
      yield `\ufeff${csvLine(columns)}`;
    }
    yield csvLineOf(item, columns);
  }
}
