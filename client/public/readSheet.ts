export {
  type ColumnMapping,
  type DecimalMark,
  readSheet,
  type Sheet,
  type SheetAnswers,
  type SheetProblem,
  type SheetQuestion,
  type SheetRow,
  type SheetWarning,
  UnreadableSheet,
  writeRejects,
} from '../import/readSheet.ts';
