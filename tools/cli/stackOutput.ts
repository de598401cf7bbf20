import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type EnvironmentName, settingsOf, stackName } from '../../infra/environments.ts';
import { CommandError } from './commandError.ts';
import { callError } from './credentials.ts';

/**
 * Reads an output of an environment's stack from AWS.
 * @throws CommandError if there is no such stack or output, or there are no credentials
 * @throws SettingsError if the environment's settings are invalid
 */
export async function stackOutput(environment: EnvironmentName, output: string): Promise<string> {
  const { region } = settingsOf(environment);
  const stack = stackName(environment);
  const client = new CloudFormationClient({ region });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack })).catch((cause: Error) => {
    throw callError(`The stack ${stack} in ${region} cannot be read`, cause);
  });
  const value = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === output)?.OutputValue;
  if (value === undefined) throw new CommandError(`The stack ${stack} in ${region} has no output ${output}.`);
  return value;
}
