import type { ImportRule, NoticeValues, SheetRule } from '../sheet/notices.ts';
import type { AllTexts } from '../texts/en.ts';
import { enForm } from '../texts/enForm.ts';
import { type FieldError, type Refusal, RequestError, type Schemas, thrownText } from './catalogClient.ts';

/** A table of your own. What it lacks is English, as the service and the package say it. */
export type Texts = Readonly<Partial<AllTexts & Record<SheetRule | ImportRule, string>> & { language: string }>;

/** What a sheet asks, remarks or refuses, with its sentence in English. */
export interface SheetNotice {
  readonly rule: SheetRule | ImportRule;
  readonly values: NoticeValues;
  readonly text?: string;
  readonly reason?: string;
}

/** A field of an item, or a custom one such as `metadata.color`, that somebody else has changed. */
export interface OthersChange {
  readonly name: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly by: string;
}

/** What a form, a list or an undo has to say, as data: {@link textOf} writes it. */
export type Notice =
  | { readonly code: 'no_answer' | 'not_left' | 'undecided' | 'decided' | 'unchanged' | 'not_kept' }
  | { readonly code: 'missing'; readonly id: number }
  | { readonly code: 'conflict'; readonly user: string; readonly others: readonly OthersChange[] }
  | { readonly code: 'others'; readonly others: readonly OthersChange[] }
  /** It goes on by itself after a failure. */
  | { readonly code: 'retrying'; readonly reason: Notice }
  /** The service's own text is English. */
  | ({ readonly code: 'refused'; readonly error: string; readonly status: number; readonly message: string } & Subject);

/** What the message of a refusal names. */
type Subject = Pick<Refusal['error'], 'by' | 'field'>;

/** The problem of an input, by the rules of the service and those for typed texts. */
export interface Problem {
  readonly rule: Schemas['Rule'] | 'number' | 'ambiguous' | 'json';
  readonly limit?: number | undefined;
  /** The item that has the code already. */
  readonly item?: number | undefined;
  /** The numbers that an ambiguous text can be. */
  readonly choices?: readonly [number, number] | undefined;
  /** The service's own text, in English. */
  readonly reason?: string | undefined;
}

/**
 * What was thrown, as what there is to say.
 * @example const text = textOf(noticeOf(error), pt);
 */
export function noticeOf(error: unknown): Notice {
  if (error instanceof RequestError) {
    const { code, status, message, by, field } = error;
    return code === 'NO_ANSWER' ? { code: 'no_answer' } : { code: 'refused', error: code, status, message, by, field };
  }
  return {
    code: 'refused',
    error: error instanceof Error ? error.name : 'Error',
    status: 0,
    message: thrownText(error),
  };
}

/**
 * Writes what there is to say. For what a table lacks, as a later version of the service can have other rules, it takes
 * the service's own text.
 * @example textOf({ rule: 'max', limit: 100 }, pt); // 'Deve ser no máximo 100.'
 */
export function textOf(message: Notice | Problem | SheetNotice, texts: Texts): string {
  const [code, fallback] = codeOf(message);
  const text = textIn(texts, code) ?? fallback ?? textIn(enForm, code) ?? code;
  return text.replace(/\{(\w+)\}/g, (_, name: string) => valueText(message, name, texts));
}

/** A code can be a name that every object has, such as `constructor`. */
function textIn(table: object, code: string): string | undefined {
  const { [code]: text } = table as Readonly<Record<string, unknown>>;
  return typeof text === 'string' ? text : undefined;
}

function codeOf(notice: Notice | Problem | SheetNotice): [code: string, fallback?: string | undefined] {
  if ('values' in notice) return [notice.rule, notice.text ?? notice.reason];
  if ('rule' in notice) return [notice.rule, notice.reason];
  if (notice.code === 'retrying' && notice.reason.code === 'no_answer') return ['no_answer_yet'];
  return notice.code === 'refused' ? [keyOf(notice), notice.message] : [notice.code];
}

/** The text for an error, by what it names. An older service says that in its message alone. */
function keyOf({ error, by, field }: Subject & { readonly error: string }): string {
  if (field !== undefined) return field === 'account' ? 'no_account' : 'no_item_with_code';
  return error === 'PRECONDITION_FAILED' && by === undefined ? '' : error;
}

function valueText(message: Notice | Problem | SheetNotice, name: string, texts: Texts): string {
  if (name === 'reason' && 'code' in message && message.code === 'retrying') return textOf(message.reason, texts);
  if (name === 'others' && 'others' in message)
    return message.others
      .map(({ name, to, by }) => `${name} (${typeof to === 'string' ? to : JSON.stringify(to)}, ${by})`)
      .join(', ');
  const values = 'values' in message ? message.values : (message as unknown as NoticeValues);
  const { [name]: value = '' } = values;
  const format = { maximumFractionDigits: 20, useGrouping: name === 'limit' };
  const language = texts.language.replace('_', '-'); // some write `pt_BR`
  return typeof value === 'number' ? value.toLocaleString(language, format) : [value].flat().join(', ');
}

export interface Messages {
  readonly form: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/**
 * The messages for each input, and for the whole form if no input is at fault. Inputs of metadata include the path.
 * @param refused the `error` of an answer or of a row, or what was thrown
 * @param texts the service's own are English, and begin after the field's name
 * @example const { form, inputs } = messagesOf(error, pt); // inputs: { name: 'É obrigatório.' }
 */
export function messagesOf(refused: unknown, texts?: Texts): Messages {
  const { error = refused } = Object(refused) as Partial<Refusal>;
  const { code = '', fields, by, field } = Object(error) as Partial<Refusal['error']>;
  if (fields === undefined) {
    const message = thrownText(error);
    const notice = { code: 'refused', error: code, status: 0, message, by, field } as const;
    return { form: texts === undefined ? message : textOf(notice, texts), inputs: {} };
  }
  const write = (field: FieldError) => (texts === undefined ? field.reason : textOf(field, texts));
  return { form: '', inputs: Object.fromEntries(fields.map((field) => [inputOf(field), write(field)])) };
}

/** The input that a field's error is about, with the path in a custom field: `metadata/size/0`. */
export const inputOf = (field: FieldError): string => ('path' in field ? `${field.field}${field.path}` : field.field);
