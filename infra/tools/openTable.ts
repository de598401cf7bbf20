import { readFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { openDatabase } from '../../lib/runtime/compose.ts';
import type { Database } from '../../lib/store/database.ts';
import { environmentName, outputs, settingsOf, stackName } from '../environments.ts';

/** What an operator's command cannot go on with; the message is one sentence. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/**
 * The table that an operator's command works on.
 * @param environment a deployed one, found through its stack's outputs; undefined: the service that runs on this machine
 * @throws ToolError when it is not there, SettingsError when there is no such environment
 */
export async function openTable(environment: string | undefined): Promise<Database> {
  return openDatabase(environment === undefined ? localTable() : await deployedTable(environment));
}

function localTable(): { table: string; dynamodb: string } {
  try {
    // The engine takes any credentials, but the SDK insists on some.
    process.env['AWS_REGION'] ??= 'local';
    process.env['AWS_ACCESS_KEY_ID'] ??= 'local';
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'local';
    return JSON.parse(readFileSync(new URL('../../.local/service.json', import.meta.url), 'utf8'));
  } catch {
    throw new ToolError('No service runs on this machine: start it with npm start, or name a deployed one with --env.');
  }
}

async function deployedTable(environment: string): Promise<{ table: string; dynamodb: undefined }> {
  const name = environmentName(environment);
  const { region } = settingsOf(name);
  const stack = stackName(name);
  const client = new CloudFormationClient({ region });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause: Error) => {
    throw new ToolError(`The stack ${stack} in ${region} cannot be read: ${cause.message}`, { cause });
  });
  const output = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === outputs.tableName)?.OutputValue;
  if (output === undefined) throw new ToolError(`The stack ${stack} in ${region} has no output ${outputs.tableName}.`);
  // The client that is made next looks for its region here.
  process.env['AWS_REGION'] = region;
  return { table: output, dynamodb: undefined };
}
