import { useImport } from 'catalog-client/react';
import type { SheetAnswers } from 'catalog-client/readSheet';
import type { RowChoices } from 'catalog-client/sheetImport';
import { usePage } from './language.ts';
import { local } from './storage.ts';

/** The members that a step lacks. */
const without = {
  file: undefined,
  sheet: undefined,
  columns: [],
  failure: null,
  waiting: null,
  answers: {} as SheetAnswers,
  choices: {} as RowChoices,
  questions: [],
  rows: [],
  withoutPrice: [],
  progress: undefined,
  rejected: [],
  undoTarget: null,
} as const;

export type Sheets = ReturnType<typeof useSheets>;

/** An import for a page that shows all steps in one place: what a step does not have is empty. */
export function useSheets() {
  const { client, catalog } = usePage();
  const sheets = { ...without, ...useImport(client, catalog, { storage: local }) };
  return { ...sheets, columns: sheets.sheet?.mapping ?? sheets.columns, failure: sheets.failure ?? sheets.waiting };
}
