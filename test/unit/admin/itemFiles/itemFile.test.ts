import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFile, questionsText, readItemFile } from '../../../../admin/itemFiles/readItemFile.ts';
import type { SheetRow } from '../../../../client/import/1-read.ts';
import { type SheetAnswers, UnreadableSheet } from '../../../../client/sheet/notices.ts';
import { temporaryFolder } from '../../../support/programs/serviceFolder.ts';

const folder = temporaryFolder();
const file = join(folder, 'items');

async function rowsOf(text: string | Buffer, answers: SheetAnswers = {}): Promise<readonly SheetRow[]> {
  writeFileSync(file, text);
  try {
    return (await readItemFile(await openFile(file), answers, [])).rows;
  } catch (error) {
    throw error instanceof UnreadableSheet ? new Error(questionsText(file, error.questions)) : error;
  }
}

describe('a sheet', () => {
  it('is read as CSV or as a workbook, whatever its name is', async () => {
    const desk = { name: 'Desk', sku: '00123', value: 19.99, metadata: { since: '2025-11-20' } };
    const book = readFileSync(new URL('../../../support/items/desk.xlsx', import.meta.url));
    for (const content of [book, 'Name,SKU,Value,metadata.since\nDesk,00123,19.99,2025-11-20\n'])
      expect((await rowsOf(content)).map(({ body }) => body)).toEqual([desk]);
  });

  it('is refused with the options that answer its questions', async () => {
    const text = `The file ${file} was not imported.
There are name, `;
    await expect(rowsOf("name,it's,Price\na,b,1\n")).rejects.toThrow(text);
    await expect(rowsOf("name,it's,Price\na,b,1\n")).rejects.toThrow(
      ` unknown: "it's", "Price".
  --columns 'Price=value,*=ignore'   leaves out the others
  --columns 'Price=value,*=metadata'   keeps the others as custom fields`,
    );
    await expect(rowsOf('value\n1.000\n')).rejects.toThrow(
      '\n  --decimal point   1.000 (line 2) is 1\n  --decimal comma   ',
    );
    await expect(rowsOf('Ab\tc,d\n1\t2,3\n')).rejects.toThrow('\n  --separator tab   ');
    await expect(rowsOf(Buffer.from('name\nStühle\n', 'latin1'))).rejects.toThrow(
      "\n  --encoding 'windows-1252'   Stühle\n",
    );
    await expect(rowsOf('PK\u0003\u0004')).rejects.toThrow('save it in Excel as .xlsx or "CSV UTF-8"');
  });
});
