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
} from '../import/1-read.ts';
export { writeItems } from '../import/writeItems.ts';
