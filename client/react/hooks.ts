/** What the package exports for React. */

export { type CustomField, customKinds, type InputName } from '../form/itemDraft.ts';
export type { ItemListState, ItemsWanted } from '../items/itemList.ts';
export { useImport } from './useImport.ts';
export { useItemChanges } from './useItemChanges.ts';
export { type ShownItemForm, type UseItemFormOptions, useItemForm } from './useItemForm.ts';
export { useItems } from './useItems.ts';
export { useUndo } from './useUndo.ts';
