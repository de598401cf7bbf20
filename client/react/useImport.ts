import { useEffect } from 'react';
import type { CallerStorage, Catalog, Client } from '../http/catalogClient.ts';
import { SheetImport } from '../import/sheetImport.ts';
import { useStore } from './useStore.ts';

/**
 * Imports a sheet, as {@link SheetImport} does.
 * @param storage keeps how to go on after a reload; undefined on a server
 * @returns its state, and what does something, which is the same in each render
 * @example const [state, sheets] = useImport(client, catalog, localStorage); // sheets.take(file), then sheets.start()
 */
export function useImport(client: Client, catalog: Catalog, storage: CallerStorage | undefined) {
  const options = { client, catalog, storage };
  const sheets = useStore(() => new SheetImport(options), `${catalog.account} ${catalog.user}`);
  useEffect(() => sheets.setOptions(options));
  return [sheets.getState(), sheets] as const;
}
