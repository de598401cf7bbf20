import type { Texts } from '../http/catalogClient.ts';
import { enForm } from './enForm.ts';

/** @example const { inputs } = messagesOf(error, en); */
export const en: Texts = { ...enForm };
