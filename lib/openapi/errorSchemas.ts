import { type ErrorCode, errors } from '../item/errors.ts';
import { identifierNames } from '../item/fields.ts';
import { rules } from '../item/violation.ts';
import { anyNumber, describedObject, itemId, objectSchema, reference, type Schema } from './schema.ts';

/** The component name of an error code: `ItemNotFound` for `ITEM_NOT_FOUND`. */
export const errorName = (code: ErrorCode): string =>
  code.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

const list = (schema: string, description: string): Schema => ({
  description,
  type: 'array',
  minItems: 1,
  items: reference('schemas', schema),
});

/** `error.fields`, for the codes that have it. */
const fields: Partial<Record<ErrorCode, Schema>> = {
  VALIDATION_FAILED: list(
    'InvalidField',
    'All invalid fields or parameters, in documented order. `message` names the first.',
  ),
  ITEM_ALREADY_EXISTS: list('TakenIdentifier', 'The identifiers that are already taken.'),
};

/** The subject of an error's message, for the codes and the rows of batches that have one. */
export const subjects = {
  by: { description: 'The user who has changed the item since.', type: 'string' },
  field: {
    description: 'The identifier that no item has, or `account` if the user has none that is open.',
    type: 'string',
    enum: [...identifierNames, 'account'],
  },
} satisfies Readonly<Record<string, Schema>>;

const subjectOf: Partial<Record<ErrorCode, Partial<typeof subjects>>> = {
  FORBIDDEN: { field: subjects.field },
  PRECONDITION_FAILED: { by: subjects.by },
};

const errorSchema = (code: ErrorCode): Schema =>
  describedObject(errors[code].message, {
    error: objectSchema(
      {
        message: { description: 'A message that can be shown to users.', type: 'string' },
        code: { type: 'string', const: code },
        ...subjectOf[code],
        ...(fields[code] && { fields: fields[code] }),
      },
      { optional: Object.keys(subjects) },
    ),
    ...(code === 'PRECONDITION_FAILED' && { data: reference('schemas', 'Item') }),
  });

const reason: Schema = {
  description: 'What is wrong, as the rest of a sentence that begins with the field’s name. Can be shown to users.',
  type: 'string',
};

const detailSchemas = {
  Rule: {
    description:
      'The rule that was broken, for programs. Later versions can add rules: for one that you do not know, show `reason`.',
    type: 'string',
    enum: rules,
  },
  InvalidField: describedObject(
    'An invalid field or parameter.',
    {
      field: { description: 'The name of the field or parameter.', type: 'string' },
      reason,
      rule: reference('schemas', 'Rule'),
      limit: { description: 'The limit of a rule that begins with `min` or `max`.', ...anyNumber },
      row: { description: 'For a value that an earlier row has: the place of that row, counted from 1.', ...itemId },
      path: {
        description:
          'A JSON Pointer (RFC 6901) to the invalid part of `metadata`. Omitted for other fields, or if all of `metadata` is invalid.',
        type: 'string',
      },
    },
    { optional: ['limit', 'row', 'path'] },
  ),
  TakenIdentifier: describedObject('An identifier that another item already has.', {
    field: { type: 'string', enum: identifierNames },
    reason,
    rule: reference('schemas', 'Rule'),
    item: { description: 'The id of the item that has it.', ...itemId },
  }),
};

export const errorSchemas = (codes: readonly ErrorCode[]): Record<string, Schema> => ({
  ...Object.fromEntries(
    (Object.keys(errors) as ErrorCode[])
      .filter((code) => codes.includes(code))
      .map((code) => [errorName(code), errorSchema(code)]),
  ),
  ...detailSchemas,
});
