import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { variables } from '../../lib/runtime/environment.ts';
import type { EnvironmentName } from '../environments.ts';
import { outputs, settingsOf, stackName } from '../environments.ts';
import { setLocalCredentials } from './localCredentials.ts';
import { localService } from './localService.ts';
import { CommandError } from './runCommand.ts';

/** Where a table is. The clients that are made next find region and credentials in this process's variables. */
export interface TablePlace {
  readonly table: string;
  /** The address of its DynamoDB; undefined: the region's own. */
  readonly dynamodb: string | undefined;
}

/**
 * Finds the table that an operator's command works on.
 * @param environment a deployed one, found through its stack's outputs; undefined: the service that runs on this machine
 * @param table another table in the same place, as a restored one; left out, the one that is in use
 * @throws ToolFailure when it is not there, SettingsError when the environment's settings are wrong
 */
export async function findTable(environment: EnvironmentName | undefined, table?: string): Promise<TablePlace> {
  const { table: inUse, dynamodb } = environment === undefined ? await localTable() : await deployedTable(environment);
  return { table: table ?? inUse, dynamodb };
}

async function localTable(): Promise<TablePlace> {
  const service = await localService();
  setLocalCredentials();
  return service;
}

async function deployedTable(environment: EnvironmentName): Promise<TablePlace> {
  const { region } = settingsOf(environment);
  const stack = stackName(environment);
  const client = new CloudFormationClient({ region });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause: Error) => {
    throw new CommandError(`The stack ${stack} in ${region} cannot be read: ${cause.message}`);
  });
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputs.tableName)?.OutputValue;
  if (output === undefined)
    throw new CommandError(`The stack ${stack} in ${region} has no output ${outputs.tableName}.`);
  process.env['AWS_REGION'] = region;
  // A shell may have it for the local service, and the SDK would work there instead.
  delete process.env[variables.dynamodb];
  return { table: output, dynamodb: undefined };
}
