import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { settingsOf } from '../../../infra/environments.ts';
import { CommandError } from '../../../tools/cli/commandError.ts';
import { findTable } from '../../../tools/cli/findTable.ts';

beforeEach(() => void vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', ''));
afterEach(() => vi.unstubAllEnvs());

/** A CloudFormation whose stacks have these outputs. Returns the requests that it receives. */
async function cloudFormation(outputs: Record<string, string>): Promise<URLSearchParams[]> {
  const requests: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    requests.push(new URLSearchParams((await request.setEncoding('utf8').toArray()).join('')));
    const members = Object.entries(outputs).map(
      ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
    );
    response.end(`<DescribeStacksResponse><DescribeStacksResult><Stacks><member>
      <Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', `http://127.0.0.1:${port}`);
  vi.stubEnv('AWS_REGION', 'us-west-2');
  return requests;
}

const { region } = settingsOf('dev');
const regional = `https://dynamodb.${region}.amazonaws.com/`;

describe('findTable for a deployed environment', () => {
  it('returns the table of its stack and its region', async () => {
    const requests = await cloudFormation({ TableName: 'table-of-dev' });
    expect(await findTable('dev')).toEqual({ table: 'table-of-dev', region, dynamodb: undefined });
    expect(requests.map((request) => request.get('StackName'))).toEqual(['catalog-dev']);
  });

  it('returns the DynamoDB of the region even if the shell names a local one', async () => {
    await cloudFormation({ TableName: 'table-of-dev' });
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
    expect(await findTable('dev')).toEqual({ table: 'table-of-dev', region, dynamodb: regional });
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
    expect(await findTable('dev', 'restored')).toEqual({ table: 'restored', region, dynamodb: undefined });
  });

  it('fails with one sentence if the stack does not output its table', async () => {
    await cloudFormation({});
    await expect(findTable('dev')).rejects.toThrow(
      new CommandError('The stack catalog-dev in eu-central-1 has no output TableName.'),
    );
  });
});
