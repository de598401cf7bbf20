import type { components } from '../catalogApi.ts';
import { enForm } from './enForm.ts';

/** What to say for each rule of the service. */
const rules: Readonly<Record<components['schemas']['Rule'], string>> = {
  required: 'This is required.',
  type: 'This is not of the right kind.',
  choice: 'Choose one of those offered.',
  min: 'It must be at least {limit}.',
  max: 'It must be at most {limit}.',
  max_length: 'It must have at most {limit} characters.',
  max_items: 'At most {limit} are possible.',
  max_depth: 'It must not be nested more than {limit} levels deep.',
  max_bytes: 'It must have at most {limit} bytes.',
  pattern: 'It has characters or a form that are not possible here.',
  unknown_reference: 'There is no such entry.',
  taken: 'Item {item} has it already.',
  exclusive: 'It cannot be combined with the others.',
  repeated: 'It is there twice.',
  unknown_parameter: 'There is no field of this name.',
};

/** @example const { inputs } = messagesOf(error, en); */
export const en = { ...rules, ...enForm };

/** A text for each rule and code, with what it is about in braces: `catalog-client/en`, `catalog-client/pt`. */
export type AllTexts = Readonly<Record<keyof typeof en, string>>;
