import type { Catalog, Client } from 'catalog-client';
import { useImport } from 'catalog-client/react';
import type { ImportState } from 'catalog-client/sheetImport';

/** What a step does not have. */
const without = {
  answers: {},
  choices: {},
  questions: [],
  columns: [],
  sheet: undefined,
  look: undefined,
  progress: undefined,
  rejected: [],
} as const;

/** An import for a page that shows all steps in one place: what a step does not have is empty. */
export function useSheets(client: Client, catalog: Catalog) {
  const [state, sheets] = useImport(client, catalog, localStorage);
  const { take, answer, tell, choose, start, goOn, type, mend, stop, rejects } = sheets;
  const acts = { take, answer, tell, choose, start, goOn, type, mend, stop, rejects };
  const sheet = 'sheet' in state ? state.sheet : undefined;
  const columns = 'columns' in state ? state.columns : (sheet?.meanings ?? []);
  const look = 'looks' in state ? { rows: state.looks, counts: state.counts } : undefined;
  return { ...without, ...state, ...acts, sheet, columns, look, failure: failureOf(state) };
}

function failureOf(state: ImportState): string {
  if ('waiting' in state && state.waiting !== null) return `Trying again: ${state.waiting.message}`;
  return 'failure' in state && state.failure !== null ? state.failure.message : '';
}
