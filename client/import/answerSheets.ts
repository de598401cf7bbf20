import { inspectSheet } from '../sheet/inspectSheet.ts';
import { UnreadableSheet } from '../sheet/notices.ts';
import type { WorkbookSheet } from '../sheet/sheetForm.ts';
import type { SheetMessage, SheetRequest, SheetRow } from './1-read.ts';

const scope = globalThis as unknown as {
  onmessage: (event: { data: SheetRequest }) => Promise<void>;
  postMessage(message: SheetMessage): void;
};

/** Few enough for the page to take in one frame. */
const rowsAtOnce = 200;

/** Makes a worker of this program, which answers what `readSheet` asks. */
export function answerSheets(load: (bytes: ArrayBuffer) => Uint8Array | readonly WorkbookSheet[]): void {
  scope.onmessage = async ({ data: { file, answers, categories } }) => {
    try {
      const source = load(await file.arrayBuffer());
      const { rows, ...form } = inspectSheet(source, answers, categories);
      let part: SheetRow[] = [];
      for (const row of rows()) {
        if (part.push(row as SheetRow) < rowsAtOnce) continue;
        scope.postMessage({ rows: part });
        part = [];
      }
      scope.postMessage({ rows: part });
      scope.postMessage(form);
    } catch (error) {
      if (!(error instanceof UnreadableSheet)) return scope.postMessage({ failure: (error as Error).message });
      const { questions, mapping } = error;
      scope.postMessage({ questions, mapping });
    }
  };
}
