import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type EnvironmentName, outputs, settingsOf } from '../infra/environments.ts';
import { variables } from '../lib/runtime/environment.ts';
import type { TableLocation } from '../lib/store/sdk/connect.ts';
import { accountOf, requireOutput, requireStack } from './findStack.ts';
import { localClientConfig } from './localCredentials.ts';
import { findLocalService } from './localService.ts';

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
