export { type Look, type LookOptions, type LookWarning, lookAtRows, type RowLook } from '../import/lookAtRows.ts';
