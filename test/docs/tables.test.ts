import { describe, expect, it } from 'vitest';
import { functionNames } from '../../infra/constructs/functionAccess.ts';
import { environmentNames, settingsOf } from '../../infra/environments.ts';
import { retryReasons } from '../../lib/catalog/requestContext.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { propertiesOf, templateOf } from '../infra/templateOf.ts';
import { codeIn, page, tableAfter } from '../support/programs/pages.ts';

describe('the design page', () => {
  const design = page('docs/design.md');

  it('has the key of every record', () => {
    const [account, id] = ['<account>', '<id>' as unknown as number];
    const shown = tableAfter(design, '## Records').map(([, partition, sort]) => [codeIn(partition), codeIn(sort)]);
    const records = [
      [keys.account(account)],
      [keys.closure(account)],
      [keys.category(account, id)],
      [keys.unit(account, '<unit>')],
      [keys.item(account, id)],
      [keys.guard(account, 'sku', '<sku>'), keys.guard(account, 'pn', '<pn>')],
      [keys.counter(account)],
      [keys.idempotency(account, '<sha-256>')],
      [keys.token('<sha-256>')],
      [keys.tokenEntry(account, '<token id>')],
    ];
    expect(shown).toEqual(
      records.map((of) => [of.map(({ pk }) => pk), [...new Set(of.map(({ sk }) => sk.replace(/0+(?=<)/, '')))]]),
    );
    expect(new Set(records.flat().map(({ pk, sk }) => `${pk} ${sk}`)).size).toBe(Object.keys(keys).length + 1);
  });

  it('has every reason for a retry', () => {
    expect(tableAfter(design, '### Retries').map(([reason]) => codeIn(reason)[0])).toEqual([...retryReasons]);
  });
});

describe('the operations page', () => {
  it('has what each environment costs without callers, so that no alarm or metric is added unnoticed', () => {
    const costs = environmentNames.map((name) => {
      const of = (type: string) => propertiesOf(templateOf(name), type);
      const watched = of('AWS::CloudWatch::Alarm').flatMap(({ Metrics = [{ MetricStat: {} }] }) =>
        Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat),
      );
      const [{ GlobalSecondaryIndexes, ...table }] = of('AWS::DynamoDB::Table');
      const insights = [table, ...GlobalSecondaryIndexes].filter(
        (each) => each.ContributorInsightsSpecification.Enabled,
      );
      const { heartbeat } = settingsOf(name);
      const rows = [
        watched.length * 0.1 + of('AWS::CloudWatch::CompositeAlarm').length * 0.5,
        of('AWS::CloudWatch::Dashboard').length * 3,
        // Besides what the access log counts: failed checks, the time in DynamoDB of what they call, and failed rows.
        heartbeat ? (of('AWS::Logs::MetricFilter').length + 3) * 0.3 : 0,
        // One rule for the partition key, one for the whole key.
        insights.length * 2 * 0.5,
        heartbeat ? 3.5 : 0,
        // All of the API's functions, and the one that records.
        heartbeat ? ((functionNames.length + 2) * 12 * 24 * (365 / 12) * 0.03) / 10_000 : 0,
      ];
      const [firewall] = of('AWS::WAFv2::WebACL');
      const sum = rows.reduce((total, cost) => total + cost);
      return [...rows, sum, firewall === undefined ? 0 : 5 + firewall.Rules.length].map((cost) => cost.toFixed(2));
    });
    const shown = tableAfter(page('docs/operations.md'), 'Without callers, a month costs').map(([, ...row]) => row);
    expect(shown).toEqual(costs[0]?.map((_, row) => costs.map((column) => column[row])));
  });
});
