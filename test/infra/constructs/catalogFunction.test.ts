import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { settingsOf } from '../../../infra/environments.ts';
import { deadlineOf } from '../../../lib/catalog/requestContext.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { functionOf, propertiesOf, resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

const ids = [
  'createItem',
  'updateItem',
  'writeItems',
  'getItem',
  'listItems',
  'listChanges',
  'getCatalog',
  'configureCatalog',
  'authorizer',
] as const;
/** With those that the API does not invoke. */
const all = [...ids, 'recordChanges', 'applyAccount'];
/** Without the functions that are not part of the API. */
const template = templateOf('prod', { heartbeat: false, heartbeatToken: undefined, verification: false });

it('the stack has exactly these functions, under their own logical ids', () => {
  expect(resourcesOf(template, 'AWS::Lambda::Function').map(([id]) => id)).toEqual(all);
});

it.each([
  ['x86_64', 'x86_64'],
  ['aarch64', 'arm64'],
])('on a machine that reports %s, the functions can be synthesised for it', (architecture, expected) => {
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ architecture }));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const { Architectures } of propertiesOf(templateWith({}), 'AWS::Lambda::Function'))
    expect(Architectures).toEqual([expected]);
});

it('those that AWS starts itself have their names for SAM, which has those of a schedule also where no setting asks for them', () => {
  const named = (of: typeof template) =>
    Object.values(of.findResources('AWS::Lambda::Function')).flatMap(
      (resource) => resource['Metadata']?.SamResourceId ?? [],
    );
  expect(named(templateOf('prod'))).toEqual(['checkNewVersions', 'heartbeat', 'verifyTable']);
  expect(named(templateWith({}))).toEqual([]);
  vi.stubEnv('CDK_CONTEXT_JSON', JSON.stringify({ architecture: 'aarch64' }));
  onTestFinished(() => void vi.unstubAllEnvs());
  const forSam = templateWith({});
  expect(named(forSam)).toEqual(['heartbeat', 'verifyTable']);
  const urls = propertiesOf(forSam, 'AWS::Lambda::Function').flatMap(
    ({ Environment: { Variables } }) => Variables.CATALOG_URL ?? [],
  );
  expect(urls).toEqual(['http://host.docker.internal:3000/']);
});

describe.each(ids)('%s', (id) => {
  const properties = theOnly(template, id);

  it('declares all variables that the code reads, so that sam local invoke can set them', () => {
    expect(properties.Environment.Variables).toEqual({
      CATALOG_TABLE: { Ref: 'table' },
      CATALOG_CORS_ORIGINS: settingsOf('prod').corsOrigins.join(),
      AWS_ENDPOINT_URL_DYNAMODB: '',
    });
  });

  it("answers before Lambda's timeout, which is shorter than the gateway's", () => {
    const stopped = properties.Timeout * 1000;
    expect(properties.Timeout).toBe(10);
    expect(deadlineOf(0, stopped)).toBeLessThan(stopped);
    const methods = propertiesOf(template, 'AWS::ApiGateway::Method');
    const proxies = methods.filter(({ Integration }) => Integration.Type === 'AWS_PROXY');
    expect(proxies).not.toEqual([]);
    for (const { Integration } of proxies) expect(Integration.TimeoutInMillis).toBeGreaterThan(stopped);
  });
});

describe('permissions', () => {
  it('belong to a separate role for each function', () => {
    const roles = all.map((id) => theOnly(template, id).Role['Fn::GetAtt'][0]);
    expect(new Set(roles).size).toBe(all.length);
    expect(propertiesOf(template, 'AWS::IAM::Policy').flatMap(({ Roles }) => Roles)).toEqual(
      roles.map((role) => ({ Ref: role })),
    );
    expect(theOnly(template, 'table').ResourcePolicy).toBeUndefined();
  });

  it('to invoke a function belong to API Gateway', () => {
    const permissions = propertiesOf(template, 'AWS::Lambda::Permission');
    expect(new Set(permissions.map(({ FunctionName }) => functionOf(template, FunctionName)))).toEqual(new Set(ids));
    for (const { Principal } of permissions) expect(Principal).toBe('apigateway.amazonaws.com');
  });
});

it('only the authorizer gets the identity provider in the settings', () => {
  const identity = identitySettings.parse({
    issuer: 'https://login.example.com',
    audience: 'catalog',
    claims: { permissions: 'scope' },
  });
  const withProvider = templateWith({ identity });
  const given = ids.map((id) => theOnly(withProvider, id).Environment.Variables.CATALOG_IDENTITY);
  expect(given).toEqual(ids.map((id) => (id === 'authorizer' ? JSON.stringify(identity) : undefined)));
});

it('a function reserves no concurrency if the settings have none', () => {
  const open = templateWith({ reservedConcurrency: undefined });
  for (const id of ['createItem', 'applyAccount', 'recordChanges'])
    expect(theOnly(open, id)).not.toHaveProperty('ReservedConcurrentExecutions');
});
