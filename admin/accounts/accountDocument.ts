import * as z from 'zod/mini';
import { CommandError } from '../../cli/commandError.ts';
import { accountId, accountIdRule } from '../../lib/access/accountId.ts';
import { accepts } from '../../lib/item/accepts.ts';
import { configurationFields } from '../../lib/item/configurationFields.ts';
import type { FieldProblem } from '../../lib/item/fields.ts';
import { jsonPointer } from '../../lib/item/json.ts';

const { category, unit } = configurationFields;
const idRule = 'must be the id of a category';
const categoryId = z.int(idRule).check(z.positive(idRule));

const list = <Shape extends z.core.$ZodShape>(shape: Shape, max: number) => {
  const rule = `must be a list of at most ${max} objects`;
  return z.array(z.strictObject(shape, 'must be an object'), rule).check(z.maxLength(max, rule));
};

/**
 * The whole configuration of an account. Whatever is left out stays as it is. Published as `account.schema.json`, which
 * `npm run generate -- account-schema` derives from this.
 */
export const documentSchema = z.strictObject({
  $schema: z.optional(z.string('must be a text')).check(z.describe('Where this schema is, for editors. Ignored.')),
  account: z.string(accountIdRule).check(z.regex(accountId, accountIdRule), z.describe('The id of the account.')),
  defaultCategory: z
    .optional(z.union([categoryId, category.name, z.null()], 'must be the id or the name of a category, or null'))
    .check(z.describe('The category of new items that name none: its id or name in this document, or null for none.')),
  defaultTax: z.optional(accepts.tax).check(z.describe('The tax of new items that name none.')),
  categories: z
    .optional(
      list({ id: z.optional(categoryId), name: category.name, archived: z.optional(category.archived) }, 10_000),
    )
    .check(z.describe('Categories are found by their ids, else by their names, and otherwise added.')),
  units: z.optional(list(unit, 1_000)).check(z.describe('The decimals of a registered unit cannot be changed.')),
  shown: z
    .optional(z.string('must be a text'))
    .check(z.describe('Fingerprints of the values that were shown. If others have changed them, nothing is applied.')),
});

export type AccountDocument = z.output<typeof documentSchema>;

/** A document that cannot be applied. Nothing was changed, unless it has so many changes that it takes several transactions. */
export class DocumentError extends CommandError {
  /** Whether the document, the present account, or what others have changed since it was shown is the reason. */
  readonly code: 'INVALID_DOCUMENT' | 'IMPOSSIBLE_CHANGE' | 'OUTDATED_DOCUMENT';
  readonly fields: readonly FieldProblem[];

  constructor(code: DocumentError['code'], fields: readonly FieldProblem[]) {
    const problems = fields.map(({ field, reason, path }) => `${path ?? field} ${reason}`);
    super(`The document cannot be applied: ${problems.join('; ')}.`);
    this.code = code;
    this.fields = fields;
  }
}

/** @param source parsed JSON. @throws DocumentError `INVALID_DOCUMENT` */
export function parseDocument(source: unknown): AccountDocument {
  const parsed = documentSchema.safeParse(source);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => at([...issue.path, key], 'is not a member of such a document'));
    return issue.path.length === 0 ? at([], 'must be a JSON object') : at(issue.path, issue.message);
  });
  throw new DocumentError('INVALID_DOCUMENT', problems);
}

/** What is wrong at a place in the document. */
export const at = (path: readonly PropertyKey[], reason: string): FieldProblem => ({
  field: String(path[0] ?? 'document'),
  reason,
  ...(path.length > 0 && { path: jsonPointer(path) }),
});

export const accountSchema = (): object => ({
  title: 'The configuration of a catalog account',
  ...z.toJSONSchema(documentSchema, { io: 'input' }),
});
