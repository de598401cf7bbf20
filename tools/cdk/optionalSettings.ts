import type { Settings, UnusedByProd } from '../../infra/environments.ts';

/** The settings that prod does not use, with others that add to its template, so that all of it is checked. */
export const optionalSettings = {
  account: '111122223333',
  tags: { team: 'catalog' },
  tableKey: 'arn:aws:kms:eu-central-1:111122223333:key/1a2b',
  identity: {
    issuer: 'https://login.acme.test',
    audience: 'catalog',
    claims: { account: 'account', user: 'sub', permissions: 'scope' },
    permissions: { editor: 'catalog:edit' },
  },
  firewall: {
    tokenRate: 100,
    addressRate: 1_000,
    managedRules: [
      'AWSManagedRulesAmazonIpReputationList',
      'AWSManagedRulesKnownBadInputsRuleSet',
      'AWSManagedRulesCommonRuleSet',
    ],
  },
  throttling: {
    ...{ rate: 500, burst: 200, batches: { rate: 24, burst: 32 } },
    shares: { rate: 45, burst: 25, batches: { rate: 3, burst: 4 }, own: ['acme'], enforced: true },
  },
  eventBus: 'arn:aws:events:eu-central-1:444455556666:event-bus/catalog',
  backup: { vault: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:catalog-prod-copies', days: 35 },
  customDomain: { name: 'api.example.com', zone: { id: 'Z1', name: 'example.com' } },
} as const satisfies Partial<Settings> & Record<UnusedByProd, unknown>;
