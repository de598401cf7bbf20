import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '../../cli/print.ts';
import { type EnvironmentName, stackName } from '../../infra/environments.ts';

interface Resource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

export interface TemplateJson {
  readonly Resources: Readonly<Record<string, Resource>>;
}

/**
 * The types of resources whose replacement would not be the same: it lacks their data, logs or subscriptions, or has
 * another address or ARN. For each, the properties that CloudFormation can only change by replacing the resource.
 */
export const irreplaceable: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::Authorizer': ['RestApiId'],
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::ApiGateway::RestApi': [],
  'AWS::ApiGateway::Stage': ['RestApiId', 'StageName'],
  'AWS::Backup::BackupPlan': [],
  'AWS::Backup::BackupSelection': ['BackupPlanId', 'BackupSelection'],
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::Lambda::Alias': ['FunctionName', 'Name'],
  'AWS::Lambda::Function': ['FunctionName', 'PackageType', 'TenancyConfig'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::SNS::Topic': ['FifoTopic', 'TopicName'],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
  'AWS::WAFv2::WebACL': ['Name', 'Scope'],
  // Deleting the old association would leave the API without a firewall, even if the new one is the same.
  'AWS::WAFv2::WebACLAssociation': ['ResourceArn', 'WebACLArn'],
};

/** The types of those that hold callers' data or are the API's address, which the stack policy protects. */
export const protectedTypes = [
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::ApiGateway::DomainName',
  'AWS::DynamoDB::Table',
];

/**
 * Finds the irreplaceable resources that a deployment would remove, replace, or no longer protect from deletion. Functions
 * that an earlier commit did not have yet are none of them, with their aliases and logs.
 * @param before the deployed template of the stack
 * @param after the template to deploy
 * @param types only those of these types
 * @returns each of these resources with the reason, as the end of a sentence
 */
export const lostResources = (
  before: TemplateJson,
  after: TemplateJson,
  types: readonly string[] = Object.keys(irreplaceable),
): string[] => {
  const removed = ofRemovedFunctions(before, after);
  return Object.entries(before.Resources).flatMap(([id, resource]) => {
    if (!types.includes(resource.Type) || removed.has(id)) return [];
    const reason = replacement(resource, after.Resources[id]);
    return reason === undefined ? [] : [`the ${resource.Type} "${id}", which ${reason}`];
  });
};

/** The functions that are removed, unless some are added, which could be the same ones, and what belongs to them. */
function ofRemovedFunctions(before: TemplateJson, after: TemplateJson): Set<string> {
  const functionsIn = ({ Resources }: TemplateJson) =>
    Object.keys(Resources).filter((id) => Resources[id]?.Type === 'AWS::Lambda::Function');
  if (functionsIn(after).some((id) => !(id in before.Resources))) return new Set();
  const functions = functionsIn(before).filter((id) => !(id in after.Resources));
  const refersTo = (value: unknown, id: string): boolean => JSON.stringify(value ?? null).includes(`{"Ref":"${id}"}`);
  const belonging = Object.entries(before.Resources).filter(([id, { Type, Properties }]) =>
    functions.some((name) =>
      Type === 'AWS::Lambda::Alias'
        ? refersTo(Properties?.['FunctionName'], name)
        : Type === 'AWS::Logs::LogGroup' && refersTo(before.Resources[name]?.Properties?.['LoggingConfig'], id),
    ),
  );
  return new Set([...functions, ...belonging.map(([id]) => id)].filter((id) => !(id in after.Resources)));
}

/**
 * Refuses what CloudFormation would refuse halfway, and what would lose callers' data.
 * @throws CommandError that names what would be lost, and another way to an earlier version
 */
export function requireProtected(environment: EnvironmentName, before: TemplateJson, after: TemplateJson): void {
  const losses = lostResources(before, after, protectedTypes).map(
    (loss) => `${stackName(environment)} would lose ${loss}.`,
  );
  const instead = `No deployment does that. To return to an earlier version, run npm run admin -- rollback --env ${environment}, and revert the commit on main without removing or replacing that resource.`;
  if (losses.length > 0) throw new CommandError([...losses, instead].join('\n'));
}

function replacement(resource: Resource, next: Resource | undefined): string | undefined {
  if (next === undefined) return 'is no longer in the template under this logical id';
  if (next.Type !== resource.Type) return `becomes an ${next.Type}`;
  const changed = irreplaceable[resource.Type]?.find(
    (name) => !isDeepStrictEqual(resource.Properties?.[name], next.Properties?.[name]),
  );
  if (changed !== undefined) return `gets another ${changed}`;
  if (!isDeepStrictEqual(keyTypes(resource), keyTypes(next))) return 'gets a key of another type';
  const kept = keeping(next);
  return keeping(resource).some((before, index) => before && kept[index] === false)
    ? 'is no longer protected from deletion'
    : undefined;
}

/** Whether a resource is kept when the stack no longer has it, when it is replaced, and whoever deletes it. */
const keeping = ({ DeletionPolicy, UpdateReplacePolicy, Properties }: Resource): boolean[] => [
  DeletionPolicy?.startsWith('Retain') ?? false,
  UpdateReplacePolicy?.startsWith('Retain') ?? false,
  Properties?.['DeletionProtectionEnabled'] === true,
];

/** The types of a table's key attributes. The template lists them together with those of the indexes. */
function keyTypes({ Properties = {} }: Resource): unknown[] {
  const keys = (Properties['KeySchema'] ?? []) as readonly { readonly AttributeName: string }[];
  const attributes = (Properties['AttributeDefinitions'] ?? []) as readonly { readonly AttributeName: string }[];
  return keys.map((key) => attributes.find(({ AttributeName }) => AttributeName === key.AttributeName));
}
