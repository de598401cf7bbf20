import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type EnvironmentName, outputs, settingsOf, stackName } from '../infra/environments.ts';
import { variables } from '../lib/runtime/environment.ts';
import type { TableLocation } from '../lib/store/sdk/connect.ts';
import { localClientConfig } from './localCredentials.ts';
import { findLocalService } from './localService.ts';
import { CommandError, toCommandError } from './print.ts';

/**
 * Finds an environment's stack in AWS.
 * @param profile a profile in ~/.aws/config; undefined means the one in the environment variables
 * @returns undefined if there is none
 * @throws CommandError if it is in another account than the environment's, or there are no credentials; SettingsError if
 * the environment's settings are invalid
 */
export async function findStack(
  environment: EnvironmentName,
  { account, region } = settingsOf(environment),
  profile?: string,
): Promise<Stack | undefined> {
  const name = stackName(environment);
  const client = new CloudFormationClient({ region, ...(profile !== undefined && { profile }) });
  const found = await client.send(new DescribeStacksCommand({ StackName: name })).catch((cause: Error) => {
    if (/ does not exist$/.test(cause.message)) return { Stacks: [] };
    return toCommandError(`The stack ${name} in ${region} cannot be read`)(cause);
  });
  const stack = found.Stacks?.[0];
  const actual = stack && accountOf(stack);
  if (account !== undefined && actual !== undefined && actual !== account)
    throw new CommandError(`${environment} belongs in the AWS account ${account}, but you are signed in to ${actual}.`);
  return stack;
}

/** Like {@link findStack}, for an environment that must exist. @throws CommandError also if it does not */
export async function requireStack(environment: EnvironmentName): Promise<Stack> {
  const stack = await findStack(environment);
  if (stack !== undefined) return stack;
  const where = `${stackName(environment)} in ${settingsOf(environment).region}`;
  throw new CommandError(`There is no stack ${where}, or it is in another AWS account.`);
}

/** The AWS account of a stack, whose id is arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID. */
export const accountOf = ({ StackId }: Stack): string | undefined => StackId?.split(':')[4];

/** The first line of each question; undefined on this machine. @param account the AWS account */
export const placeText = (environment: EnvironmentName | undefined, account: string | undefined): string | undefined =>
  environment === undefined || account === undefined
    ? undefined
    : `This is ${environment}, in the AWS account ${account}.`;

/** An output of a stack; undefined if it has none of this name. */
export const outputIn = ({ Outputs = [] }: Stack, output: string): string | undefined =>
  Outputs.find(({ OutputKey }) => OutputKey === output)?.OutputValue;

/** Like {@link outputIn}, for an output that the stack must have. @throws CommandError if it does not */
export function requireOutput(environment: EnvironmentName, stack: Stack, output: string): string {
  const value = outputIn(stack, output);
  if (value === undefined) {
    const where = `${stackName(environment)} in ${settingsOf(environment).region}`;
    throw new CommandError(`The stack ${where} has no output ${output}.`);
  }
  return value;
}

/** A table and, if it is deployed, the AWS account that it is in. */
export interface FoundTable extends TableLocation {
  readonly awsAccount?: string | undefined;
}

/**
 * Finds the table that an operator's command works on.
 * @param environment undefined means the service on this machine
 * @param table overrides the table's name, for example with a restored one
 * @throws CommandError if it is not found, SettingsError if the environment's settings are invalid
 */
export async function findTable(environment: EnvironmentName | undefined, table?: string): Promise<FoundTable> {
  if (environment === undefined) {
    const local = await findLocalService();
    return { table: table ?? local.table, dynamodb: local.dynamodb, ...localClientConfig() };
  }
  const { region } = settingsOf(environment);
  const stack = await requireStack(environment);
  const deployed = requireOutput(environment, stack, outputs.tableName);
  return { table: table ?? deployed, region, dynamodb: regionalEndpoint(region), awsAccount: accountOf(stack) };
}

/** The region's own DynamoDB, if the shell names a local one, which the SDK would otherwise use for every client. */
function regionalEndpoint(region: string): string | undefined {
  if ((process.env[variables.dynamodb] ?? '') === '') return undefined;
  const { endpointProvider } = new DynamoDBClient({ region }).config;
  return endpointProvider({ Region: region, UseFIPS: false, UseDualStack: false }).url.href;
}
