export { readSheet, type Sheet, type SheetRow, writeRejects } from '../import/1-read.ts';
export { writeItems } from '../import/writeItems.ts';
export type { ColumnMapping, SheetAnswers, SheetProblem, SheetQuestion, SheetWarning } from '../sheet/notices.ts';
export { UnreadableSheet } from '../sheet/notices.ts';
export type { DecimalMark } from '../sheet/readAmount.ts';
