interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface StackTemplate {
  readonly Resources: Readonly<Record<string, Resource>>;
}

const tableTypes = ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'];

/** If one of these changes, CloudFormation creates a new, empty table. */
const fixedProperties = ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'];

/**
 * Finds the tables that a deployment would remove or replace by empty ones.
 * @param before the deployed template of the stack
 * @param after the template to deploy
 * @returns the reason for each of these tables
 */
export function replacedTables(before: StackTemplate, after: StackTemplate): string[] {
  return Object.entries(before.Resources)
    .filter(([, { Type }]) => tableTypes.includes(Type))
    .flatMap(([id, table]) => {
      const reason = replacement(table, after.Resources[id]);
      return reason === undefined ? [] : [`the table "${id}" ${reason}`];
    });
}

function replacement(table: Resource, next: Resource | undefined): string | undefined {
  if (next === undefined) return 'is no longer in the template under this logical id';
  if (next.Type !== table.Type) return `becomes an ${next.Type}`;
  const changed = fixedProperties.find((name) => !isEqual(table.Properties?.[name], next.Properties?.[name]));
  if (changed !== undefined) return `has another ${changed}`;
  return isEqual(keyTypes(table), keyTypes(next)) ? undefined : 'has a key of another type';
}

/** The types of the key attributes. The template lists them together with those of the indexes. */
function keyTypes({ Properties = {} }: Resource): unknown[] {
  const keys = (Properties['KeySchema'] ?? []) as readonly { readonly AttributeName: string }[];
  const attributes = (Properties['AttributeDefinitions'] ?? []) as readonly { readonly AttributeName: string }[];
  return keys.map((key) => attributes.find(({ AttributeName }) => AttributeName === key.AttributeName));
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
