import * as z from 'zod/mini';
import { readApi } from './readApi.ts';
import { readFunctions } from './readFunctions.ts';
import { StackTemplate, unresolved, unsupported } from './stackTemplate.ts';

/** The services whose resources affect requests, with the types that the local service supports. */
const supported: Readonly<Record<string, string>> = {
  ApiGateway:
    'Account ApiKey Authorizer Deployment GatewayResponse Method Resource RestApi Stage UsagePlan UsagePlanKey',
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
  const tables = [...template.all('AWS::DynamoDB::Table', tableSchema)].map(
    ([id, properties]) => [template.resolve({ Ref: id }), tableDefinition(properties)] as const,
  );
  return { tables: new Map(tables), streams, functions, api: readApi(template, functions) };
}

export type TableDefinition = ReturnType<typeof tableDefinition>;

function tableDefinition(properties: z.infer<typeof tableSchema>) {
  const { TimeToLiveSpecification, StreamSpecification, ...schema } = properties;
  return {
    schema,
    /** The time-to-live attribute. Undefined means that records do not expire. */
    expiryAttribute: TimeToLiveSpecification?.AttributeName,
    /** Undefined means that there is no stream. */
    stream: StreamSpecification?.StreamViewType,
  };
}
