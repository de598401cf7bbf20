import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation';
import { type EnvironmentName, settingsOf, stackName } from '../infra/environments.ts';
import { CommandError, toCommandError } from './commandError.ts';

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
