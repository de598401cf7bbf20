import type { ErrorCode } from '../../item/errors.ts';
import { errors } from '../../item/errors.ts';
import { itemId, objectSchema, reference, type Schema } from './schema.ts';

/** The component name of an error code: `ItemNotFound` for `ITEM_NOT_FOUND`. */
export const errorName = (code: ErrorCode): string =>
  code.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

const list = (description: string, schema: string): Schema => ({
  description,
  type: 'array',
  minItems: 1,
  items: reference('schemas', schema),
});

/** Extra members of `error`, for the codes that have any. */
const details: Partial<Record<ErrorCode, Readonly<Record<string, Schema>>>> = {
  VALIDATION_FAILED: {
    fields: list('All invalid fields or parameters, in their order. The message names the first.', 'InvalidField'),
  },
  ITEM_ALREADY_EXISTS: { fields: list('The identifiers that other items have.', 'TakenIdentifier') },
};

/** Extra members beside `error`, for the codes that have any. */
const extraMembers: Partial<Record<ErrorCode, Readonly<Record<string, Schema>>>> = {
  PRECONDITION_FAILED: { data: reference('schemas', 'Item') },
};

const errorSchema = (code: ErrorCode): Schema =>
  objectSchema(
    {
      error: objectSchema({
        message: { description: 'Can be shown to a person.', type: 'string' },
        code: { type: 'string', const: code },
        ...details[code],
      }),
      ...extraMembers[code],
    },
    { description: errors[code].message },
  );

const reason: Schema = { description: 'Completes the sentence “<field> …” for a person.', type: 'string' };

const detailSchemas = {
  InvalidField: objectSchema(
    {
      field: { description: 'The name of a field of the body, or of a parameter.', type: 'string' },
      reason,
      path: { description: 'Of a value in `metadata`: its place, as a JSON Pointer.', type: 'string' },
    },
    { optional: ['path'], description: 'Why a field was refused.' },
  ),
  TakenIdentifier: objectSchema(
    {
      field: { type: 'string', enum: ['sku', 'pn'] },
      reason,
      item: { description: 'The id of the item that has it.', ...itemId },
    },
    { description: 'An identifier that another item has.' },
  ),
};

/** The schemas for these codes, in the order of the `errors` table. */
export const errorSchemas = (codes: ReadonlySet<ErrorCode>): Record<string, Schema> => ({
  ...Object.fromEntries(
    (Object.keys(errors) as ErrorCode[])
      .filter((code) => codes.has(code))
      .map((code) => [errorName(code), errorSchema(code)]),
  ),
  ...detailSchemas,
});
