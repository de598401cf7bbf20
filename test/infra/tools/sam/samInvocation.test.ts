import { describe, expect, it } from 'vitest';
import { localTemplate, parseFunction, samVariables } from '../../../../infra/tools/sam/samInvocation.ts';
import { commandLine, samArguments, samEnvironment } from '../../../../infra/tools/sam/samProgram.ts';

const usage = 'npm run sam -- createItem|updateItem|getItem|listItems|getCatalog|authorizer.';

describe('SAM', () => {
  it('receives the function and the files first, so that the flags take precedence', () => {
    const files = { template: 't.json', event: 'e.json', variables: 'v.json' };
    expect(samArguments('createItem', files, ['--debug-port', '5858'])).toEqual([
      ...['local', 'invoke', 'createItem', '--template', 't.json', '--event', 'e.json', '--env-vars', 'v.json'],
      ...['--debug-args=--enable-source-maps', '--debug-port', '5858'],
    ]);
  });

  it.each([
    [undefined, `Name the function: ${usage}`],
    ['--debug-port', `Name the function: ${usage}`],
    ['deleteItem', `There is no function "deleteItem": ${usage}`],
    ['', `There is no function "": ${usage}`],
    [
      'heartbeat',
      'npm run sam cannot run the heartbeat, which calls an API and has no access to the table. npm run smoke sends the same requests.',
    ],
  ])('does not run %j', (name, message) => {
    expect(() => parseFunction(name)).toThrow(expect.objectContaining({ message, exitCode: 2 }));
  });

  it.each([
    ['x64', 'x86_64'],
    ['arm64', 'arm64'],
  ] as const)('receives on %s a template with functions for %s', (host, architecture) => {
    const lambda = (hash: string) => ({
      Type: 'AWS::Lambda::Function',
      Properties: {
        Architectures: ['arm64'],
        Timeout: 10,
        Code: { S3Bucket: 'assets', S3Key: `${hash}.zip` },
        Environment: { Variables: { CATALOG_TABLE: { Ref: 'table' } } },
      },
    });
    const table = { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PAY_PER_REQUEST' } };
    const template = { Resources: { createItem: lambda('c1'), updateItem: lambda('u1'), table }, Outputs: {} };
    const built = (folder: string) => ({ 'aws:asset:path': folder, 'aws:asset:property': 'Code' });
    const declared = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'CATALOG_TABLE'];
    const Variables = Object.fromEntries(declared.map((name) => [name, expect.anything()]));
    const adapted = (hash: string, folder: string) => ({
      ...lambda(hash),
      Properties: { ...lambda(hash).Properties, Architectures: [architecture], Environment: { Variables } },
      Metadata: built(folder),
    });
    expect(localTemplate(template, 'createItem', host)).toEqual({
      Resources: { createItem: adapted('c1', 'code'), updateItem: adapted('u1', 'asset.u1'), table },
      Outputs: {},
    });
  });

  it('receives the environment variables that the functions read', () => {
    const service = { table: 'catalog', dynamodb: 'http://10.0.0.1:8000' };
    expect(samVariables('authorizer', service, { AWS_ACCESS_KEY_ID: 'own' })).toEqual({
      authorizer: {
        CATALOG_TABLE: 'catalog',
        AWS_ENDPOINT_URL_DYNAMODB: 'http://10.0.0.1:8000',
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'own',
        AWS_SECRET_ACCESS_KEY: 'local',
      },
    });
  });

  it.each([
    [['local', 'invoke', '--event', '/a/b.json'], {}, 'sam local invoke --event /a/b.json'],
    [['--x', "it's a $(b)", ''], {}, "sam --x 'it'\\''s a $(b)' ''"],
    [['--x'], { AWS_PROFILE: 'work', NODE_OPTIONS: '', PATH: '/bin' }, 'env -u AWS_PROFILE -u NODE_OPTIONS sam --x'],
  ])('can be run by hand with %j', (args, own, line) => {
    expect(commandLine(args, own)).toBe(line);
  });

  it("runs with the credentials of the local service, and without an editor's NODE_OPTIONS", () => {
    expect(samEnvironment({ PATH: '/bin', AWS_PROFILE: 'work', NODE_OPTIONS: '--require x' })).toEqual({
      PATH: '/bin',
      AWS_REGION: 'us-east-1',
      AWS_DEFAULT_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    });
    const own = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'own', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(samEnvironment(own)).toEqual({ ...own, AWS_DEFAULT_REGION: 'eu-west-1' });
  });
});
