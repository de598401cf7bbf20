import type { Settings } from '../../infra/environments.ts';

/** Settings that no environment uses by default, so that what they add to a template is checked as well. */
export const optionalSettings = {
  account: '111122223333',
  tags: { team: 'catalog' },
  monthlyBudget: 100,
  tableKey: 'arn:aws:kms:eu-central-1:111122223333:key/1a2b',
  firewall: {
    tokenRate: 100,
    addressRate: 1_000,
    managedRules: [
      'AWSManagedRulesAmazonIpReputationList',
      'AWSManagedRulesKnownBadInputsRuleSet',
      'AWSManagedRulesCommonRuleSet',
    ],
    logs: true,
  },
  backup: { vault: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:catalog-prod-copies', days: 35 },
  customDomain: { name: 'api.example.com', zone: { id: 'Z1', name: 'example.com' } },
} as const satisfies Partial<Settings>;
