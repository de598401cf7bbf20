import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { environmentName, environmentNames, settingsOf } from '../../infra/environments.ts';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';

const good = settingsOf('dev');
const provider = { issuer: 'https://login.example.com', audience: 'catalog', claims: { permissions: 'roles' } };
const zone = { id: 'Z1', name: 'example.com' };
const firewall = { tokenRate: 1_000, addressRate: 5_000, logs: false };
const reputation = 'AWSManagedRulesAmazonIpReputationList';
const vaults = 'arn:aws:backup:eu-central-1:444455556666:backup-vault';
const backup = { vault: `${vaults}:catalog-prod-copies`, days: 35 };
const complaintAbout = (changed: object) => () => settingsOf('dev', { ...good, ...changed });

describe('the environments', () => {
  it('are dev, staging and prod, with valid settings', () => {
    expect(environmentNames).toEqual(['dev', 'staging', 'prod']);
    for (const name of environmentNames) expect(settingsOf(name).region).toBeTypeOf('string');
  });

  it('can have every optional setting', () => {
    expect(settingsOf('prod', { ...settingsOf('prod'), ...optionalSettings })).toMatchObject(optionalSettings);
    const identity = [provider, { ...provider, issuer: 'https://old.example.com' }];
    expect(settingsOf('dev', { ...good, identity }).identity).toMatchObject(identity);
  });

  it.each(['qa', 'Prod', '', undefined])('do not include %s', (name) => {
    expect(() => environmentName(name)).toThrow(`There is no environment "${name}"; choose one of dev, staging, prod.`);
  });

  it('are validated during synthesis, which fails with one sentence for an unknown name', () => {
    const app = fileURLToPath(new URL('../../infra/app.ts', import.meta.url));
    const env = { PATH: process.env['PATH'], CDK_CONTEXT_JSON: JSON.stringify({ env: 'qa' }) };
    expect(() => execFileSync(process.execPath, [app], { env, stdio: 'pipe' })).toThrow(
      expect.objectContaining({
        status: 1,
        stderr: Buffer.from('There is no environment "qa"; choose one of dev, staging, prod.\n'),
      }),
    );
  });
});

describe('an invalid setting is named:', () => {
  it.each([
    ['account', { account: '12' }, 'must be twelve digits'],
    ['region', { region: 'frankfurt' }, 'must be a region such as eu-central-1'],
    ['keepsData', { keepsData: 'yes' }, 'expected boolean'],
    ['recoveryDays', { recoveryDays: 36 }, 'expected number to be <=35'],
    ['logDays', { logDays: 8 }, 'expected one of 1|3|5|7'],
    ['throttling.rate', { throttling: { rate: 0, burst: 1 } }, 'expected number to be >=1'],
    ['corsOrigins.0', { corsOrigins: ['https://app.example.com/'] }, 'must be an origin'],
    ['corsOrigins.0', { corsOrigins: ['*', 'https://app.example.com'] }, 'must be an origin'],
    ['corsOrigins', { corsOrigins: [] }, 'expected array to have >=1 items'],
    ['identity.issuer', { identity: { ...provider, issuer: 'http://a.example' } }, 'must be an https address'],
    ['identity.audience', { identity: { ...provider, audience: undefined } }, 'Invalid input'],
    ['identity.claims.permissions', { identity: { ...provider, claims: {} } }, 'must be given, because with most'],
    ['identity.permissions.Editor', { identity: { ...provider, permissions: { Editor: 'edit' } } }, 'expected one of'],
    ['identity', { identity: { ...provider, jwks: 'x' } }, 'Unrecognized key: "jwks"'],
    ['identity.1.audience', { identity: [provider, { ...provider, audience: [] }] }, 'expected array to have >=1'],
    ['identity', { identity: [provider, provider] }, 'must not have two with the same issuer'],
    ['identity', { identity: [] }, 'expected array to have >=1'],
    [
      'alarms.pages',
      { alarms: { pages: 'nobody', tickets: 'ops@acme.test' } },
      "must be an email address or a topic's",
    ],
    ['alarms.tickets', { alarms: { pages: 'ops@acme.test' } }, 'must be an email address'],
    ['monthlyBudget', { monthlyBudget: 50 }, 'first create your own with the command in docs/operations.md#cost'],
    ['heartbeatToken', { heartbeatToken: 'token' }, 'must be the name of a parameter'],
    ['memory', { memory: 64 }, 'expected number to be >=128'],
    ['reservedConcurrency', { reservedConcurrency: 0 }, 'expected number to be >=1'],
    ['gradualDeployment', { gradualDeployment: 'Slowly' }, 'expected one of "Canary10Percent5Minutes"'],
    ['firewall.tokenRate', { firewall: { ...firewall, tokenRate: 9 } }, 'expected number to be >=10'],
    ['firewall.managedRules.0', { firewall: { ...firewall, managedRules: ['Mine'] } }, 'expected one of "AWSManaged'],
    [
      'firewall.managedRules',
      { firewall: { ...firewall, managedRules: [reputation, reputation] } },
      'names a group twice',
    ],
    ['firewall.logs', { firewall: { tokenRate: 10, addressRate: 20 } }, 'expected boolean'],
    ['backup.vault', { backup: { ...backup, vault: 'catalog-prod-copies' } }, 'must be the ARN of a backup vault'],
    ['backup.vault', { backup: { ...backup, vault: `${vaults}:Default` } }, 'of a backup vault other than Default'],
    ['backup.days', { backup: { ...backup, days: 0 } }, 'expected number to be >=1'],
    ['tags.team', { tags: { team: 1 } }, 'expected string'],
    ['tableKey', { tableKey: 'alias/mine' }, 'must be the ARN of a key'],
    ['customDomain', { customDomain: { name: 'a.example.com' } }, 'it takes a certificate or a zone'],
    ['customDomain', { customDomain: { name: 'a.acme.test', zone } }, 'its name must be in the zone'],
    ['customDomain.certificate', { customDomain: { name: 'a.example.com', certificate: 'x' } }, 'must be the ARN'],
  ])('%s', (path, changed, reason) => {
    expect(complaintAbout(changed)).toThrow(`The setting dev.${path} in infra/environments.ts is wrong: `);
    expect(complaintAbout(changed)).toThrow(reason);
  });

  it('a setting that does not exist', () => {
    expect(complaintAbout({ memoryMb: 512 })).toThrow(
      'The setting dev in infra/environments.ts is wrong: Unrecognized key: "memoryMb".',
    );
  });

  it('a burst above the reserved concurrency', () => {
    const settings = { throttling: { rate: 1, burst: 11 }, reservedConcurrency: 10 };
    expect(complaintAbout(settings)).toThrow(
      'The setting dev.throttling.burst in infra/environments.ts is wrong: it must not exceed the reserved concurrency of 10.',
    );
    expect(complaintAbout({ ...settings, reservedConcurrency: 11 })).not.toThrow();
  });

  it.each([
    ['of one address that is not above that of one token', 1_000, 'it must exceed the tokenRate, because many callers'],
    [
      'that the stage does not let anybody reach',
      6_000,
      'it must be below the 6000 requests that the stage allows in five minutes',
    ],
  ])('a rate of the firewall %s', (_, addressRate, reason) => {
    const complaint = complaintAbout({ firewall: { ...firewall, addressRate } });
    expect(complaint).toThrow(`The setting dev.firewall.addressRate in infra/environments.ts is wrong: ${reason}`);
    expect(complaintAbout({ firewall })).not.toThrow();
  });

  it.each([
    ['backup', 'of an environment that does not keep its data', { keepsData: false }, 'it requires keepsData'],
    ['backup', 'where the account is not known', { account: undefined }, 'it requires account'],
    ['backup.vault', 'in the same account', { account: '444455556666' }, 'it must be in another account'],
  ])('a %s %s', (path, _, changed, reason) => {
    const settings = { keepsData: true, account: '111122223333', backup };
    const complaint = complaintAbout({ ...settings, ...changed });
    expect(complaint).toThrow(`The setting dev.${path} in infra/environments.ts is wrong: ${reason}`);
    expect(complaintAbout(settings)).not.toThrow();
  });

  it('prod that does not keep its data', () => {
    expect(() => settingsOf('prod', { ...settingsOf('prod'), keepsData: false })).toThrow(
      'The setting prod.keepsData in infra/environments.ts is wrong: prod must keep its data.',
    );
  });
});
