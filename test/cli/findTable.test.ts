import { beforeEach, describe, expect, it, vi } from 'vitest';
import { findTable } from '../../cli/findStack.ts';
import { CommandError } from '../../cli/print.ts';
import { settingsOf } from '../../infra/environments.ts';
import { startAws } from '../support/standIns/standInAws.ts';

vi.mock('../../infra/environments.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../infra/environments.ts')>();
  return { ...actual, settingsOf: () => ({ ...actual.settingsOf('dev'), account: '111122223333' }) };
});

beforeEach(() => void vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', ''));

/** A CloudFormation whose stack has these outputs. Returns the requests that it receives. */
async function cloudFormation(outputs: Record<string, string>, account?: string): Promise<URLSearchParams[]> {
  const { url, requests } = await startAws({ stack: { outputs, ...(account !== undefined && { account }) } });
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', url);
  vi.stubEnv('AWS_REGION', 'us-west-2');
  return requests;
}

const { region } = settingsOf('dev');
const awsAccount = '111122223333';
const regional = `https://dynamodb.${region}.amazonaws.com/`;

describe('findTable for a deployed environment', () => {
  it('returns the table of its stack and its region', async () => {
    const requests = await cloudFormation({ TableName: 'table-of-dev' });
    expect(await findTable('dev')).toEqual({ table: 'table-of-dev', region, dynamodb: undefined, awsAccount });
    expect(requests.map((request) => request.get('StackName'))).toEqual(['catalog-dev']);
  });

  it('returns the DynamoDB of the region even if the shell names a local one', async () => {
    await cloudFormation({ TableName: 'table-of-dev' });
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
    expect(await findTable('dev')).toEqual({ table: 'table-of-dev', region, dynamodb: regional, awsAccount });
  });

  it('does not change the environment variables of the process', async () => {
    await cloudFormation({ TableName: 'table-of-dev' });
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
    const before = { ...process.env };
    await findTable('dev');
    expect(process.env).toEqual(before);
  });

  it('returns another table in the same place if it is named', async () => {
    await cloudFormation({ TableName: 'table-of-dev' });
    expect(await findTable('dev', 'restored')).toEqual({ table: 'restored', region, dynamodb: undefined, awsAccount });
  });

  it('refuses the stack of another AWS account than the environment’s', async () => {
    await cloudFormation({ TableName: 'table-of-dev' }, '999999999999');
    await expect(findTable('dev')).rejects.toThrow(
      new CommandError('dev belongs in the AWS account 111122223333, but you are signed in to 999999999999.'),
    );
  });

  it('fails with one sentence if the stack does not output its table', async () => {
    await cloudFormation({});
    await expect(findTable('dev')).rejects.toThrow(
      new CommandError(`The stack catalog-dev in ${region} has no output TableName.`),
    );
  });
});
