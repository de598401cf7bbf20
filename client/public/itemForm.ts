export { type CustomField, customKinds, type InputName } from '../form/itemDraft.ts';
export { ItemForm, type ItemFormOptions } from '../form/itemForm.ts';
export type { Both, FormStep, ItemFormState, ShownCustomField } from '../form/itemFormState.ts';
