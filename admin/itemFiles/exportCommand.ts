import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { CommandError } from '../../cli/commandError.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { csvLine } from '../../client/sheet/csvLine.ts';
import { csvLineOf, maxCustomColumns } from '../../client/sheet/exportCells.ts';
import { presentItem } from '../../lib/http/presenter.ts';
import { customName } from '../../lib/item/customName.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { showAccount } from '../accounts/accounts.ts';
import type { ActionOn } from '../adminProgram.ts';
import { count } from '../columns.ts';
import { accountOption, rateOption } from '../options.ts';
import { operator, operatorSession } from '../table/operatorSession.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
import { problemOf } from '../table/recordProblem.ts';
import { itemPages } from '../table/scanTable.ts';
import { refuseJsonLines } from './jsonLines.ts';

export function addExportCommand(items: CommandUnknownOpts, on: ActionOn): void {
  items
    .command('export')
    .description('Writes all items of an account to a CSV file, which item import takes back.')
    .argument('<file>', 'the file; - writes to standard output')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(rateOption())
    .action(
      on(async ({ database }, { account, rate }, path: string) => {
        refuseJsonLines(path);
        const isOutput = path === '-';
        const { categories } = await showAccount(operatorSession(database, account), account);
        const customFields = new Set<string>();
        let exported = 0;
        async function* jsonLines() {
          for await (const records of itemPages(database, account, new RateLimiter(rate, database.clock)))
            for (const record of records) {
              if (problemOf(record) !== undefined) throw new CommandError(unreadable);
              const { item } = readItem(record);
              exported += 1;
              for (const key of Object.keys(item.metadata))
                if (customFields.size < maxCustomColumns) customFields.add(key);
              const categoryName = categories.get(item.category ?? 0)?.name ?? null;
              yield `${JSON.stringify(presentItem(item, categoryName, operator(account)))}\n`;
            }
        }
        const folder = mkdtempSync(join(tmpdir(), 'catalog-export-'));
        const endProgress = showProgress(() => `${count(exported)} items exported`);
        try {
          // First to another file, because the header names all custom fields, and a read may fail.
          const complete = join(folder, 'items.jsonl');
          await pipeline(jsonLines(), createWriteStream(complete));
          const lines = csvLines(complete, [...customFields].sort());
          await pipeline(lines, isOutput ? process.stdout : createWriteStream(path), { end: !isOutput });
        } finally {
          endProgress();
          rmSync(folder, { recursive: true });
        }
        if (isOutput) return undefined;
        return { text: `${exported} items were exported to ${path}.`, data: { exported } };
      }),
    );
}

const unreadable = 'An item cannot be read. Find it with npm run admin -- verify, and correct it.';

/** The byte order mark tells spreadsheets that the file is UTF-8. */
async function* csvLines(jsonLines: string, customFields: readonly string[]): AsyncGenerator<string> {
  let columns: readonly string[] | undefined;
  for await (const line of linesIn(jsonLines)) {
    const item: JsonObject = JSON.parse(line);
    if (columns === undefined) {
      columns = [...Object.keys(item), ...customFields.map(customName)];
      yield `\ufeff${csvLine(columns)}`;
    }
    yield csvLineOf(item, columns);
  }
}

async function* linesIn(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
