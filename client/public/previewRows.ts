export { type ImportPreview, type PreviewOptions, previewRows } from '../import/2-preview.ts';
export type { ImportRow, RowOutcome, RowWarning } from '../import/row.ts';
