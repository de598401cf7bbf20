import { type Account, defaultUnit } from './account.ts';
import type { JsonObject } from './json.ts';
import { limits } from './limits.ts';

export const itemTypes = ['product', 'service'] as const;
export type ItemType = (typeof itemTypes)[number];

/** The values that a field can have in records, by its kind. */
interface Kinds {
  readonly text: string;
  readonly type: ItemType;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly object: JsonObject;
}

export type FieldKind = keyof Kinds;

/** A field, except for what it accepts (`accepts.ts`) and its description (`itemSchemas.ts`). */
export interface Field {
  readonly kind: FieldKind;
  /** Whether an item can be without a value. Null then removes it. */
  readonly nullable?: true;
  /** The value of a new item if the field is omitted. Without it, the field is required. */
  readonly defaultValue?: (account: Account, type: ItemType) => unknown;
  /** Shown to forms and in the OpenAPI document. */
  readonly limits?: { readonly min?: number; readonly max: number; readonly decimals?: number };
  /** Only callers with this permission may see it. */
  readonly permission?: string;
  /** Makes the field an identifier: no two items of an account can have the same value. */
  readonly unique?: true;
}

const text = { kind: 'text', nullable: true, defaultValue: () => null } as const;
const amount = { kind: 'number', defaultValue: () => 0 } as const;
const identifier = { ...text, limits: limits.identifier, unique: true } as const;

/** A row for each field that callers set, in the order of spec table 2.1. Errors list fields in the same order. */
export const fields = {
  name: { kind: 'text', limits: limits.name },
  type: { kind: 'type', defaultValue: (_, type) => type },
  category: { kind: 'integer', nullable: true, defaultValue: ({ defaultCategory }) => defaultCategory },
  value: { ...amount, limits: limits.value },
  qty: { ...amount, limits: limits.qty, defaultValue: () => 1 },
  unit: { kind: 'text', limits: limits.unit, defaultValue: (_, type) => defaultUnit[type] },
  description: { ...text, limits: limits.description },
  active: { kind: 'boolean', defaultValue: () => true },
  cost: { ...amount, limits: limits.cost, permission: 'catalog:cost:read' },
  tax: { ...amount, limits: limits.tax, defaultValue: ({ defaultTax }) => defaultTax },
  sku: identifier,
  pn: identifier,
  tag: { ...text, limits: limits.tag },
  metadata: { kind: 'object', defaultValue: () => ({}) },
} as const satisfies Readonly<Record<string, Field>>;

type Fields = typeof fields;
export type FieldName = keyof Fields;
export const fieldNames = Object.keys(fields) as readonly FieldName[];

type FieldsWith<Member extends keyof Field> = {
  [Name in FieldName]: Fields[Name] extends Record<Member, unknown> ? Name : never;
}[FieldName];

export const byName = <Name extends FieldName, Member>(names: readonly Name[], memberOf: (name: Name) => Member) =>
  Object.fromEntries(names.map((name) => [name, memberOf(name)])) as Record<Name, Member>;

/** Lists can be filtered by these. Another one would need another index, which projects it (docs/decisions/lists-read-the-index-then-the-items.md). */
export const filterFields = ['active', 'category', 'type'] as const satisfies readonly FieldName[];
export type FilterField = (typeof filterFields)[number];

export type IdentifierName = FieldsWith<'unique'>;
export type AmountName = { [Name in FieldName]: Fields[Name]['kind'] extends 'number' ? Name : never }[FieldName];
/** Amounts have decimals. The service rounds them: `qty` by its unit, the others by their limits. */
export const amountNames = fieldNames.filter((name): name is AmountName => fields[name].kind === 'number');

export const identifierNames = fieldNames.filter((name): name is IdentifierName => 'unique' in fields[name]);

/** The item fields that callers set, with null for those without a value. */
export type ItemFields = {
  readonly [Name in FieldName]: Kinds[Fields[Name]['kind']] | (Name extends FieldsWith<'nullable'> ? null : never);
};

type Defaults = { readonly [Name in FieldsWith<'defaultValue'>]: ReturnType<Fields[Name]['defaultValue']> };

/** The values of the fields that a create omits. The caller must still round `qty` by the unit. */
export function defaultsOf(type: ItemType, account: Account): Omit<ItemFields, 'name'> {
  const values: Record<string, unknown> = {};
  for (const name of fieldNames) {
    const { defaultValue }: Field = fields[name];
    if (defaultValue !== undefined) values[name] = defaultValue(account, type);
  }
  return values as Defaults;
}

/** A problem with a field, a parameter, or a column. */
export interface FieldProblem {
  readonly field: string;
  /** The rest of a sentence that begins with the field's name. */
  readonly reason: string;
  /** Where the invalid value is within the field, as a JSON Pointer (RFC 6901): `/size/people/0`. */
  readonly path?: string | undefined;
}
