import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { openDatabase } from '../../lib/runtime/compose.ts';
import type { Database } from '../../lib/store/database.ts';
import { environmentName, outputs, settingsOf, stackName } from '../environments.ts';
import { setLocalCredentials } from '../local/localCredentials.ts';
import { localService } from './localService.ts';
import { ToolFailure } from './toolFailure.ts';

/**
 * The table that an operator's command works on.
 * @param environment a deployed one, found through its stack's outputs; undefined: the service that runs on this machine
 * @param table another table in the same place, as a restored one; left out, the one that is in use
 * @throws ToolFailure when it is not there, SettingsError when there is no such environment
 */
export async function openTable(environment: string | undefined, table?: string): Promise<Database> {
  const found = environment === undefined ? await localTable() : await deployedTable(environment);
  return openDatabase({ ...found, table: table ?? found.table });
}

async function localTable(): Promise<{ table: string; dynamodb: string }> {
  const service = await localService();
  setLocalCredentials();
  return service;
}

async function deployedTable(environment: string): Promise<{ table: string; dynamodb: undefined }> {
  const name = environmentName(environment);
  const { region } = settingsOf(name);
  const stack = stackName(name);
  const client = new CloudFormationClient({ region });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause: Error) => {
    throw new ToolFailure(`The stack ${stack} in ${region} cannot be read: ${cause.message}`);
  });
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputs.tableName)?.OutputValue;
  if (output === undefined)
    throw new ToolFailure(`The stack ${stack} in ${region} has no output ${outputs.tableName}.`);
  // The client that is made next looks for its region here.
  process.env['AWS_REGION'] = region;
  return { table: output, dynamodb: undefined };
}
