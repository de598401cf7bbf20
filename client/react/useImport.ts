import { useEffect } from 'react';
import type { Catalog, Client } from '../http/catalogClient.ts';
import type { ImportActs, ImportState } from '../import/importState.ts';
import { SheetImport, type SheetImportOptions } from '../import/sheetImport.ts';
import { useStore } from './useStore.ts';

/** The state of an import, and what can be done with it. The functions are always the same. */
export type ShownImport = ImportState & ImportActs & Pick<SheetImport, 'setOptions' | 'rejects'>;

/**
 * Imports a sheet, as {@link SheetImport} does.
 * @param options its `storage` keeps how to resume after a reload; undefined on a server
 * @example const sheets = useImport(client, catalog, { storage: localStorage }); // sheets.load(file), then sheets.start()
 */
export function useImport(
  client: Client,
  catalog: Catalog,
  { storage }: Pick<SheetImportOptions, 'storage'>,
): ShownImport {
  const sheets = useStore(
    () => new SheetImport({ client, catalog, storage }),
    `${client.service} ${catalog.account} ${catalog.user}`,
  );
  useEffect(() => void sheets.setOptions({ client, catalog, storage }));
  return {
    load: sheets.load,
    answer: sheets.answer,
    setColumns: sheets.setColumns,
    setOptions: sheets.setOptions,
    start: sheets.start,
    pause: sheets.pause,
    resume: sheets.resume,
    editCell: sheets.editCell,
    retryRejected: sheets.retryRejected,
    reactivateItems: sheets.reactivateItems,
    addCategories: sheets.addCategories,
    rejects: sheets.rejects,
    close: sheets.close,
    ...sheets.getState(),
  };
}
