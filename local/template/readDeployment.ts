import * as z from 'zod/mini';
import type { FunctionDefinition, TableDefinition } from './deployment.ts';
import { readApi } from './readApi.ts';
import { readRoles } from './readRoles.ts';
import { StackTemplate, unresolved, unsupported } from './stackTemplate.ts';

/** The services whose resources affect requests, with the types that the local service supports. */
const supported: Readonly<Record<string, string>> = {
  ApiGateway: 'Account Authorizer Deployment GatewayResponse Method Resource RestApi Stage',
  ApiGatewayV2: '',
  DynamoDB: 'Table',
  IAM: 'Policy Role',
  Lambda: 'Alias EventSourceMapping Function Permission Version',
};

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));

/** Other index properties are rejected, because the engine would ignore those that it does not know. */
const indexSchema = z.pipe(
  z.strictObject({
    IndexName: z.string(),
    KeySchema: keySchema,
    Projection: z.strictObject({
      ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
      NonKeyAttributes: z.optional(z.array(z.string())),
    }),
    ContributorInsightsSpecification: z.optional(z.unknown()),
  }),
  z.transform(({ ContributorInsightsSpecification: _, ...index }) => index),
);

const tableSchema = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  BillingMode: z.literal('PAY_PER_REQUEST'),
  TimeToLiveSpecification: z.optional(z.object({ AttributeName: z.string(), Enabled: z.literal(true) })),
  StreamSpecification: z.optional(z.object({ StreamViewType: z.literal('NEW_AND_OLD_IMAGES') })),
  GlobalSecondaryIndexes: z.optional(z.array(indexSchema)),
  LocalSecondaryIndexes: z.optional(z.never()),
  ResourcePolicy: z.optional(z.never()),
});

const functionSchema = z.object({
  Code: z.object({ S3Bucket: z.unknown(), S3Key: z.string().check(z.regex(/^\w+\.zip$/)) }),
  Environment: z.optional(z.object({ Variables: z.record(z.string(), unresolved) })),
  Handler: z.string().check(z.regex(/^\w+\.\w+$/)),
  Timeout: z._default(z.number(), 3),
  MemorySize: z._default(z.number(), 128),
  Layers: z.optional(z.never()),
  Role: unresolved,
});

const mappingSchema = z.object({
  EventSourceArn: unresolved,
  FunctionName: unresolved,
  StartingPosition: z.literal('TRIM_HORIZON'),
});

/**
 * Reads a CloudFormation template.
 * @param source the template as parsed JSON
 * @param tableName the table's name on this machine
 * @returns the tables by their names on this machine, the functions that get all writes to one, also those that a filter
 * would exclude, all functions, and the API
 * @throws CommandError that names the unsupported feature
 */
export function readDeployment(source: unknown, tableName: string) {
  const template = new StackTemplate(source, tableName);
  for (const type of template.types) {
    const [, service = '', kind = ''] = type.split('::');
    if (supported[service]?.split(' ').includes(kind) === false) throw unsupported(`resources of type ${type}`);
  }
  const functions = readFunctions(template);
  const mappings = [...template.all('AWS::Lambda::EventSourceMapping', mappingSchema).values()];
  const streams = mappings.flatMap(({ EventSourceArn, FunctionName }) => {
    const table = template.resolve(EventSourceArn);
    const name = template.resolve(FunctionName);
    const reading = functions.filter(({ id, arn }) => id === name || arn === name);
    return reading.map((each) => ({ table, function: each }));
  });
  return { tables: readTables(template), streams, functions, api: readApi(template, functions) };
}

function readTables(template: StackTemplate): Map<string, TableDefinition> {
  const tables = [...template.all('AWS::DynamoDB::Table', tableSchema)].map(([id, properties]) => {
    const { AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes } = properties;
    const { TimeToLiveSpecification, StreamSpecification } = properties;
    const definition: TableDefinition = {
      schema: { AttributeDefinitions, KeySchema, BillingMode, GlobalSecondaryIndexes },
      expiryAttribute: TimeToLiveSpecification?.AttributeName,
      stream: StreamSpecification?.StreamViewType,
    };
    return [template.resolve({ Ref: id }), definition] as const;
  });
  return new Map(tables);
}

function readFunctions(template: StackTemplate): FunctionDefinition[] {
  const roles = readRoles(template);
  return [...template.all('AWS::Lambda::Function', functionSchema)].map(([id, properties]) => {
    const [module, entry] = properties.Handler.split('.') as [string, string];
    const variables = Object.entries(properties.Environment?.Variables ?? {});
    return {
      id,
      arn: template.resolve({ 'Fn::GetAtt': [id, 'Arn'] }),
      module,
      entry,
      asset: `asset.${properties.Code.S3Key.replace(/\.zip$/, '')}`,
      timeoutMs: properties.Timeout * 1000,
      memoryMb: properties.MemorySize,
      environment: Object.fromEntries(variables.map(([name, value]) => [name, template.resolve(value)])),
      tableStatements: roles.get(template.resolve(properties.Role)) ?? [],
    };
  });
}
