import { useImport } from 'catalog-client/react';
import type { SheetAnswers } from 'catalog-client/readSheet';
import type { RowChoices } from 'catalog-client/sheetImport';
import { usePage } from './language.ts';

/** What a step does not have. */
const without = {
  answers: {} as SheetAnswers,
  choices: {} as RowChoices,
  questions: [],
  looks: [],
  withoutPrice: [],
  progress: undefined,
  rejected: [],
  mistake: null,
} as const;

export type Sheets = ReturnType<typeof useSheets>;

/** An import for a page that shows all steps in one place: what a step does not have is empty. */
export function useSheets() {
  const { client, catalog } = usePage();
  const [state, acts] = useImport(client, catalog, localStorage);
  const sheet = 'sheet' in state ? state.sheet : undefined;
  const columns = 'columns' in state ? state.columns : (sheet?.meanings ?? []);
  const failure = 'failure' in state ? state.failure : 'waiting' in state ? state.waiting : null;
  const file = 'file' in state ? state.file : undefined;
  return { ...without, ...state, acts, sheet, columns, failure, file };
}
