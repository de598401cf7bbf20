export { type ImportOptions, type ImportProgress, importRows } from '../import/3-write.ts';
export { ImportExpired } from '../import/importFailure.ts';
export { forgetImports, type LastImport, lastImports } from '../import/journal.ts';
export type { RejectedRow, Row } from '../import/row.ts';
