export { type CustomField, customKinds, type InputName } from '../form/itemDraft.ts';
export type { ItemListState, ItemsQuery } from '../items/itemList.ts';
export { useImport } from '../react/useImport.ts';
export { useItemChanges } from '../react/useItemChanges.ts';
export { type ShownItemForm, type UseItemFormOptions, useItemForm } from '../react/useItemForm.ts';
export { useItems } from '../react/useItems.ts';
export { useUndo } from '../react/useUndo.ts';
