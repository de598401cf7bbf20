export {
  forgetImports,
  ImportExpired,
  type ImportOptions,
  type ImportProgress,
  importRows,
  lastImports,
  type Reject,
  type Row,
} from '../import/importRows.ts';
