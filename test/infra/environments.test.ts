import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { environmentName, environmentNames, settingsOf } from '../../infra/environments.ts';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';

const good = settingsOf('dev');
const provider = { issuer: 'https://login.example.com', audience: 'catalog', claims: { permissions: 'roles' } };
const zone = { id: 'Z1', name: 'example.com' };
const firewall = { tokenRate: 1_000, addressRate: 5_000 };
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
    ['', { memoryMb: 512 }, 'Unrecognized key: "memoryMb".'],
    ['account', { account: '12' }, 'must be twelve digits'],
    ['region', { region: 'frankfurt' }, 'must be a region such as eu-central-1'],
    ['recoveryDays', { recoveryDays: 36 }, 'expected number to be <=35'],
    ['logDays', { logDays: 8 }, 'expected one of 1|3|5|7'],
    ['corsOrigins.0', { corsOrigins: ['https://app.example.com/'] }, 'must be an origin'],
    ['corsOrigins.0', { corsOrigins: ['*', 'https://app.example.com'] }, 'must be an origin'],
    ['identity.issuer', { identity: { ...provider, issuer: 'http://a.example' } }, 'must be an https address'],
    ['identity.audience', { identity: { ...provider, audience: undefined } }, 'Invalid input'],
    ['identity', { identity: { ...provider, jwks: 'x' } }, 'Unrecognized key: "jwks"'],
    ['identity.1.audience', { identity: [provider, { ...provider, audience: [] }] }, 'expected array to have >=1'],
    ['identity', { identity: [provider, provider] }, 'must not have two with the same issuer'],
    [
      'alarms.pages',
      { alarms: { pages: 'nobody', tickets: 'ops@acme.test' } },
      "must be an email address or a topic's",
    ],
    ['alarms.tickets', { alarms: { pages: 'ops@acme.test' } }, 'must be an email address'],
    ['monthlyBudget', { monthlyBudget: 0 }, 'expected number to be >0'],
    ['monthlyBudget', { monthlyBudget: 50 }, 'it requires alarms'],
    ['monthlyBudget', { ...settingsOf('prod'), keepsData: false, region: 'eu-north-1' }, 'no budgets in eu-north-1'],
    ['heartbeatToken', { heartbeatToken: 'token' }, 'must be the name of a parameter'],
    ['reservedConcurrency', { reservedConcurrency: 0 }, 'expected number to be >=1'],
    ['gradualDeployment', { gradualDeployment: 'Slowly' }, 'expected one of "Canary10Percent5Minutes"'],
    ['firewall.tokenRate', { firewall: { ...firewall, tokenRate: 9 } }, 'expected number to be >=10'],
    ['firewall.managedRules.0', { firewall: { ...firewall, managedRules: ['Mine'] } }, 'expected one of "AWSManaged'],
    [
      'firewall.managedRules',
      { firewall: { ...firewall, managedRules: [reputation, reputation] } },
      'names a group twice',
    ],
    ['backup.vault', { backup: { ...backup, vault: 'catalog-prod-copies' } }, 'must be the ARN of a backup vault'],
    ['backup.vault', { backup: { ...backup, vault: `${vaults}:Default` } }, 'of a backup vault other than Default'],
    ['tableKey', { tableKey: 'alias/mine' }, 'must be the ARN of a key'],
    ['customDomain', { customDomain: { name: 'a.example.com' } }, 'it takes a certificate or a zone'],
    ['customDomain', { customDomain: { name: 'a.acme.test', zone } }, 'its name must be in the zone'],
    ['customDomain.certificate', { customDomain: { name: 'a.example.com', certificate: 'x' } }, 'must be the ARN'],
  ])('%s', (path, changed, reason) => {
    expect(complaintAbout(changed)).toThrow(`The setting dev${path && '.'}${path} in infra/environments.ts is wrong: `);
    expect(complaintAbout(changed)).toThrow(reason);
  });

  const accountsOf = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`org_9ybsU1dN${index}`, `tenant-${index}`]));
  const batches = { rate: 8, burst: 8 };
  const shares = { rate: 1, burst: 1, batches: { rate: 1, burst: 1 }, own: [], enforced: true };
  const kept = { keepsData: true, account: '111122223333', backup };
  const ofStage = { ...firewall, addressRate: 6_000 };
  it.each<[string, object, object, string]>([
    [
      'throttling.burst',
      { throttling: { rate: 1, burst: 10, batches }, reservedConcurrency: 10 },
      { throttling: { rate: 1, burst: 11, batches } },
      'it must not exceed the reserved concurrency of 10.',
    ],
    [
      'firewall.addressRate',
      { firewall },
      { firewall: { ...firewall, addressRate: 1_000 } },
      'it must exceed the tokenRate',
    ],
    [
      'firewall.addressRate',
      { firewall },
      { firewall: ofStage },
      'it must be below the 6000 requests that the stage allows',
    ],
    [
      'identity.accounts',
      { identity: { ...provider, accounts: accountsOf(100) } },
      { identity: { ...provider, accounts: accountsOf(130) } },
      'with corsOrigins and shares.own, it must not exceed 3500 bytes',
    ],
    [
      'throttling.shares',
      { throttling: { rate: 8, burst: 8, batches, shares } },
      { throttling: { rate: 8, burst: 8, batches, shares: { ...shares, batches: { rate: 2, burst: 1 } } } },
      'eight of them must not exceed the limits for all callers',
    ],
    ['backup', kept, { keepsData: false }, 'it requires keepsData'],
    ['backup', kept, { account: undefined }, 'it requires account'],
    ['backup.vault', kept, { account: '444455556666' }, 'it must be in another account'],
  ])('%s, if it contradicts another one', (path, valid, changed, reason) => {
    expect(complaintAbout(valid)).not.toThrow();
    const complaint = `The setting dev.${path} in infra/environments.ts is wrong: ${reason}`;
    expect(complaintAbout({ ...valid, ...changed })).toThrow(complaint);
  });

  it('prod that does not keep its data', () => {
    expect(() => settingsOf('prod', { ...settingsOf('prod'), keepsData: false })).toThrow(
      'The setting prod.keepsData in infra/environments.ts is wrong: prod must keep its data.',
    );
  });
});
