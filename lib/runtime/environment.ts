import * as z from 'zod/mini';

/**
 * The environment variables of the functions, by meaning. The stack sets them, {@link readEnvironment} reads them, and
 * nothing else names them.
 */
export const variables = {
  /** Name of the DynamoDB table. */
  table: 'CATALOG_TABLE',
  /** Address of another DynamoDB than the region's own, such as the embedded engine; empty on AWS. */
  dynamodb: 'AWS_ENDPOINT_URL_DYNAMODB',
} as const;

const schema = z.object({
  [variables.table]: z.string().check(z.minLength(1)),
  [variables.dynamodb]: z.optional(z.string()),
});

export interface Environment {
  readonly table: string;
  /** Undefined: the region's own DynamoDB. */
  readonly dynamodb: string | undefined;
}

/**
 * What a function must know about where it runs.
 * @param source `process.env`, or its like
 * @throws an error that names the missing variable
 */
export function readEnvironment(source: Readonly<Record<string, string | undefined>>): Environment {
  const parsed = schema.safeParse(source);
  if (!parsed.success) throw new Error(`Environment variable not set: ${parsed.error.issues[0]?.path.join('.')}`);
  return { table: parsed.data[variables.table], dynamodb: parsed.data[variables.dynamodb] || undefined };
}
