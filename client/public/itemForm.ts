export { type CustomField, customKinds, type Draft, type InputName } from '../form/itemDraft.ts';
export { ItemForm, type ItemFormOptions } from '../form/itemForm.ts';
export type { FormContent, FormStep, ItemFormState } from '../form/itemFormState.ts';
