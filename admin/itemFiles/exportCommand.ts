import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommandError } from '../../cli/print.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { csvLine } from '../../client/sheet/csvLine.ts';
import { csvLineOf, maxCustomColumns } from '../../client/sheet/exportCells.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import { customName } from '../../lib/item/customName.ts';
import type { Item } from '../../lib/item/item.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { showAccount } from '../accounts/accounts.ts';
import type { GivenTable, OnTable, Output } from '../adminProgram.ts';
import { count } from '../columns.ts';
import { rateOption, requiredAccount } from '../options.ts';
import { operator, operatorSession } from '../table/operatorSession.ts';
import { problemOf } from '../table/recordProblem.ts';
import { itemPages } from '../table/scanTable.ts';
import { refuseJsonLines } from './jsonLines.ts';

export function addExportCommand(items: CommandUnknownOpts, on: OnTable): void {
  items
    .command('export')
    .description('Writes all items of an account to a CSV file, which item import takes back.')
    .argument('<file>', 'the file; - writes to standard output')
    .addOption(requiredAccount())
    .addOption(rateOption())
    .action((path, { account }, command) => on(command, (table) => exportItems(table, account, path)));
}

/** Reads all items twice: the header of the file names their custom fields, and none is written if one cannot be read. */
async function exportItems(table: GivenTable, account: string, path: string): Promise<Output | undefined> {
  refuseJsonLines(path);
  const isOutput = path === '-';
  const { categories } = await showAccount(operatorSession(table.database, account), account);
  async function* allItems(): AsyncGenerator<Item> {
    for await (const records of itemPages(table, account))
      for (const record of records) {
        if (problemOf(record) !== undefined) throw new CommandError(unreadable);
        yield readItem(record).item;
      }
  }
  let read = 0;
  let exported = 0;
  const customFields = new Set<string>();
  async function* csvLines(): AsyncGenerator<string> {
    let columns: readonly string[] | undefined;
    for await (const item of allItems()) {
      const shown = presentItem(item, categories.get(item.category ?? 0)?.name ?? null, operator(account));
      if (columns === undefined) {
        columns = [...Object.keys(shown), ...[...customFields].sort().map(customName)];
        // The byte order mark tells spreadsheets that the file is UTF-8.
        yield `\ufeff${csvLine(columns)}`;
      }
      yield csvLineOf(shown, columns);
      exported += 1;
    }
  }
  await showProgress(
    () => (exported === 0 ? `${count(read)} items read` : `${count(exported)} items exported`),
    async () => {
      for await (const { metadata } of allItems()) {
        read += 1;
        for (const key of Object.keys(metadata)) if (customFields.size < maxCustomColumns) customFields.add(key);
      }
      if (isOutput) return pipeline(csvLines(), process.stdout, { end: false });
      // A failure amid the items leaves an earlier export as it is.
      const partial = `${path}.partial`;
      await pipeline(csvLines(), createWriteStream(partial));
      await rename(partial, path);
    },
  );
  if (isOutput) return undefined;
  return { text: `${exported} items were exported to ${path}.`, data: { exported } };
}

const unreadable = 'An item cannot be read. Find it with npm run admin -- verify, and correct it.';
