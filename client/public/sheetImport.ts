export {
  type ImportFailure,
  type ImportFile,
  type ImportQuestion,
  type ImportState,
  type LookedRow,
  type RejectedRow,
  type RejectProblem,
  type RowChoices,
  type SheetForm,
  SheetImport,
  type SheetImportOptions,
} from '../import/sheetImport.ts';
