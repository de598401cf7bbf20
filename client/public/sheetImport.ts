export { identifierNames } from '../../lib/item/fields.ts';
export type { ImportQuestion, SheetForm } from '../import/1-read.ts';
export type { ImportFailure } from '../import/importFailure.ts';
export type { ImportActs, ImportFile, ImportState } from '../import/importState.ts';
export type { ImportRow, RejectedRow, RejectProblem } from '../import/row.ts';
export { SheetImport, type SheetImportOptions } from '../import/sheetImport.ts';
export type { RowChoices } from '../import/sheetRows.ts';
