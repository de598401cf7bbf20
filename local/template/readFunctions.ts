import * as z from 'zod/mini';
import { type StackTemplate, unresolved } from './stackTemplate.ts';

/** Lambda itself does this on behalf of the function, to read the stream that invokes it. */
const streamActions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
  (action) => `dynamodb:${action}`,
);
const isOfTables = (action: string): boolean =>
  (action.startsWith('dynamodb:') || action.startsWith('*')) && !streamActions.includes(action);

const functionSchema = z.object({
  Code: z.object({ S3Bucket: z.unknown(), S3Key: z.string().check(z.regex(/^\w+\.zip$/)) }),
  Environment: z.optional(z.object({ Variables: z.record(z.string(), unresolved) })),
  Handler: z.literal('index.handler'),
  Timeout: z._default(z.number(), 3),
  Layers: z.optional(z.never()),
  Role: unresolved,
});

const actions = z.union([z.string(), z.array(z.string())]);
const statement = { Effect: z.enum(['Allow', 'Deny']), Resource: unresolved, Condition: z.optional(unresolved) };
const policySchema = z.strictObject({
  PolicyName: z.string(),
  PolicyDocument: z.strictObject({
    Version: z.literal('2012-10-17'),
    Statement: z.array(z.strictObject({ ...statement, Action: actions })),
  }),
  Roles: z.array(unresolved),
});
const roleSchema = z.strictObject({
  AssumeRolePolicyDocument: z.unknown(),
  Tags: z.optional(z.unknown()),
  // Only API Gateway's own role has one, which is about its log.
  ManagedPolicyArns: z.optional(z.tuple([z.unknown()])),
});

const leadingKeys = z.optional(z.strictObject({ 'dynamodb:LeadingKeys': z.array(z.string()) }));
const tableStatement = z.strictObject({
  ...statement,
  Action: z.array(z.string().check(z.regex(/^dynamodb:\w+$/))),
  Condition: z.optional(
    z.strictObject({ 'ForAllValues:StringLike': leadingKeys, 'ForAnyValue:StringLike': leadingKeys }),
  ),
});

/**
 * A statement of a role's policy about a table or one of its indexes. Its `Resource` is the local name of a table, or
 * `<table>/index/<name>`.
 */
export type TableStatement = z.infer<typeof tableStatement> & { readonly Resource: string };

/** All partition keys of a request must match one of the patterns, or any of them. */
export type KeyCondition = keyof NonNullable<TableStatement['Condition']>;

/**
 * Reads what each role may do with tables.
 * @returns the statements, by the role's logical id
 * @throws CommandError that names a policy with an element that is not supported here
 */
function readRoles(template: StackTemplate): Map<string, TableStatement[]> {
  const roles = new Map<string, TableStatement[]>();
  for (const id of template.all('AWS::IAM::Role', roleSchema).keys()) roles.set(id, []);
  for (const [id, { PolicyDocument, Roles }] of template.all('AWS::IAM::Policy', policySchema)) {
    const all = PolicyDocument.Statement.map(({ Action, ...rest }) => ({ ...rest, Action: [Action].flat() }));
    const statements = all
      .filter(({ Action }) => Action.some(isOfTables))
      .map((one) => template.parse('AWS::IAM::Policy', id, tableStatement, one))
      .map((one) => ({ ...one, Resource: template.resolve(one.Resource) }));
    for (const role of Roles) roles.get(template.resolve(role))?.push(...statements);
  }
  return roles;
}

export type FunctionDefinition = ReturnType<typeof readFunctions>[number];

/** Reads the functions, and what the role of each may do with tables. @throws CommandError that names the unsupported feature */
export function readFunctions(template: StackTemplate) {
  const roles = readRoles(template);
  return [...template.all('AWS::Lambda::Function', functionSchema)].map(([id, properties]) => {
    const variables = Object.entries(properties.Environment?.Variables ?? {});
    return {
      /** The logical id, which is also the name of the source file. */
      id,
      arn: template.resolve({ 'Fn::GetAtt': [id, 'Arn'] }),
      /** Folder of the bundle in the cloud assembly. */
      asset: `asset.${properties.Code.S3Key.replace(/\.zip$/, '')}`,
      timeoutMs: properties.Timeout * 1000,
      environment: Object.fromEntries(variables.map(([name, value]) => [name, template.resolve(value)])),
      /** What its role allows and denies. */
      tableStatements: roles.get(template.resolve(properties.Role)) ?? [],
    };
  });
}
