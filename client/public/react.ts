export { type CustomField, customKinds, type InputName } from '../form/itemDraft.ts';
export type { ItemListState, ItemsQuery } from '../items/itemList.ts';
export type { ShownItemForm, UseItemFormOptions } from '../react/hooks.ts';
export { useImport, useItemChanges, useItemForm, useItems, useUndo } from '../react/hooks.ts';
