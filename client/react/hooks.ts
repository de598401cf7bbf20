/** What the package exports for React. */

export { type CustomField, customKinds, type InputName } from '../form/itemDraft.ts';
export { useImport } from './useImport.ts';
export { useItemChanges } from './useItemChanges.ts';
export { type ItemFormOptions, useItemForm } from './useItemForm.ts';
export { type ItemsWanted, useItems } from './useItems.ts';
export { useUndo } from './useUndo.ts';
