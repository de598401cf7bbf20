import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findTable } from '../../../infra/cli/findTable.ts';
import { settingsOf } from '../../../infra/environments.ts';

afterEach(() => vi.unstubAllEnvs());

/** A CloudFormation whose stacks have these outputs; gives what it was asked. */
async function cloudFormation(outputs: Record<string, string>): Promise<URLSearchParams[]> {
  const asked: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    asked.push(new URLSearchParams((await request.setEncoding('utf8').toArray()).join('')));
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
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://127.0.0.1:1');
  return asked;
}

/** The host to which a client of DynamoDB would send that was made now. */
async function hostOfClient(): Promise<string> {
  const handle = vi.fn(async ({ hostname }: { hostname: string }) => Promise.reject(new Error(hostname)));
  const client = new DynamoDBClient({ maxAttempts: 1, requestHandler: { handle } as never });
  return client.send(new ListTablesCommand({})).then(String, ({ message }: Error) => message);
}

describe('the table of a deployed environment', () => {
  it('is that of its stack, in its region, whatever DynamoDB the shell names', async () => {
    const asked = await cloudFormation({ TableName: 'table-of-dev' });
    expect(await hostOfClient()).toBe('127.0.0.1');
    expect(await findTable('dev')).toEqual({ table: 'table-of-dev', dynamodb: undefined });
    expect(asked.map((request) => request.get('StackName'))).toEqual(['catalog-dev']);
    expect(await hostOfClient()).toBe(`dynamodb.${settingsOf('dev').region}.amazonaws.com`);
  });

  it('may be another one beside it', async () => {
    await cloudFormation({ TableName: 'table-of-dev' });
    expect(await findTable('dev', 'restored')).toEqual({ table: 'restored', dynamodb: undefined });
  });

  it('is not found where the stack does not name it', async () => {
    await cloudFormation({});
    await expect(findTable('dev')).rejects.toThrow('The stack catalog-dev in eu-central-1 has no output TableName.');
  });
});
