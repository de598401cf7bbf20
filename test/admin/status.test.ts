import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { settingsOf } from '../../infra/environments.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { awsAccountOf, startAws } from '../support/standIns/standInAws.ts';
import { operatorOf } from './operator.ts';

const backup = { vault: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:copies', days: 35 };

vi.mock('../../infra/environments.ts', async (importActual) => {
  const actual = await importActual<typeof import('../../infra/environments.ts')>();
  const settings = (name: 'prod') => ({ ...actual.settingsOf(name), ...(name === 'prod' && { backup }) });
  return { ...actual, settingsOf: settings };
});

/** In milliseconds since 1970. */
const now = Date.parse('2026-11-28T03:00:00Z');
const minute = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => {
  process.exitCode = undefined;
});

/** What CloudWatch has, by the metric's name: minutes before now, and values. */
const reported: Record<string, readonly [ago: number, value: number][]> = {
  HeartbeatFailures: Array.from({ length: 58 }, (_, index) => [index + 2, index === 9 || index === 20 ? 3 : 0]),
  VerificationFindings: [[23 * 60, 2]],
  NumberOfCopyJobsCompleted: [
    [5, 0],
    [24 * 60, 1],
  ],
};

const alarm = (name: string, ago: number) => ({
  AlarmName: name,
  StateValue: 'ALARM',
  AlarmDescription: `The impact of ${name}: the action.\nFirst: a command`,
  StateTransitionedTimestamp: (now - ago * minute) / 1_000,
});

const topic = (kind: string, account = awsAccountOf('prod')) => `arn:aws:sns:eu-central-1:${account}:${kind}`;

/** The alarm that pages, and one that is not on. */
const paging = { AlarmName: 'catalog-prod-page', StateValue: 'OK', AlarmActions: [topic('pages')] };
const quiet = { AlarmName: 'catalog-prod-quiet', StateValue: 'OK', AlarmActions: [topic('tickets')] };

/** What only alarms of gradual deployments are like: they notify nobody. */
const watchedByDeployments = { AlarmName: 'catalog-prod-deployment', StateValue: 'OK' };

const confirmed = (kind: string) => `${topic(kind)}:1a2b`;
const subscriptions = {
  [topic('tickets')]: { 'sre@acme.test': 'PendingConfirmation', 'ops@acme.test': confirmed('tickets') },
  [topic('pages')]: { 'on-call@acme.test': confirmed('pages') },
};

const token = () => ({ Parameter: { Value: 'secret', LastModifiedDate: now / 1_000 } });

/** CloudWatch and SSM, which keep to what they are asked for. */
const answers = (on: readonly object[], CompositeAlarms: readonly object[] = [paging]) => ({
  DescribeAlarms: ({ AlarmNamePrefix, AlarmTypes, NextToken }: JsonObject) => {
    expect([AlarmNamePrefix, AlarmTypes]).toEqual(['catalog-prod-', ['MetricAlarm', 'CompositeAlarm']]);
    if (NextToken === undefined) return { MetricAlarms: on.slice(0, 1), CompositeAlarms, NextToken: 'more' };
    return { MetricAlarms: [...on.slice(1), quiet, watchedByDeployments] };
  },
  GetMetricData: ({ StartTime, MetricDataQueries }: JsonObject) => {
    const [query] = MetricDataQueries as { MetricStat: { Metric: JsonObject; Period: number } }[];
    const { Metric = {}, Period } = query?.MetricStat ?? {};
    expect(Period).toBe(60);
    const vault = { Name: 'BackupVaultName', Value: 'copies' };
    const isOwn = Metric['Namespace'] === 'Catalog';
    expect(Metric['Dimensions']).toEqual([isOwn ? { Name: 'table', Value: 'table-1' } : vault]);
    const points = (reported[String(Metric['MetricName'])] ?? [])
      .map(([ago, value]) => ({ at: (now - ago * minute) / 1_000, value }))
      .filter(({ at }) => at >= Number(StartTime));
    return {
      MetricDataResults: [{ Timestamps: points.map(({ at }) => at), Values: points.map(({ value }) => value) }],
    };
  },
  GetParameter: ({ Name }: JsonObject) => {
    expect(Name).toBe(settingsOf('prod').heartbeatToken);
    return token();
  },
});

const note = 'Live before the deployment of 2026-11-25T10:00:00.000Z, of the commit aaa. A rollback returns to it.';
const rolledBack = {
  createItem: { deployed: '5', live: '4', before: '4', note },
  getItem: { deployed: '3', live: '3', weights: { 4: 0.1 } },
};

/** Runs the command of an environment. Returns its text, its data and its exit code. */
async function run(
  env: string | undefined,
  { status = 'UPDATE_COMPLETE', ...standIn }: Partial<Parameters<typeof startAws>[0]> & { status?: string },
) {
  const { url } = await startAws({
    subscriptions,
    stack: { status, outputs: { TableName: 'table-1', Commit: 'bbb' } },
    ...standIn,
  });
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  const { text, data } = await operatorOf(undefined).run('status', env === undefined ? {} : { env });
  return { text, data, code: process.exitCode };
}

it('shows what is live after a rollback, while traffic shifts, which alarms are on, and what ran last', async () => {
  const on = [alarm('catalog-prod-alarmsserverErrors1A2B3C4D-xyz1', 14), alarm('catalog-prod-own', 90)];
  const { text, code } = await run('prod', {
    functions: rolledBack,
    answers: answers(on),
    status: 'UPDATE_IN_PROGRESS',
  });
  expect(text).toBe(
    `This is prod, in the AWS account ${awsAccountOf('prod')}, ${settingsOf('prod').region}: UPDATE_IN_PROGRESS since 2026-11-27T10:00:00.000Z.
Table: table-1
Versions:
  createItem  live: version 4 (commit aaa)                  deployed: version 5 (commit bbb)
  getItem     live: version 3, 10 % version 4 (commit bbb)  deployed: version 3 (commit bbb)
Alarms:
  serverErrors  since 2026-11-28T02:46:00.000Z  The impact of catalog-prod-alarmsserverErrors1A2B3C4D-xyz1: the action.
  own           since 2026-11-28T01:30:00.000Z  The impact of catalog-prod-own: the action.
Tickets go to: ops@acme.test, not confirmed: sre@acme.test
Pages go to: on-call@acme.test
Heartbeat, last hour: 56 passed, 2 failed, the last one at 2026-11-28T02:49:00.000Z, 2 not reported
Heartbeat's token: expires 2028-11-27T03:00:00.000Z
Last verification: 2026-11-27T04:00:00.000Z, findings: 2
Last backup in the other account: 2026-11-27T03:00:00.000Z`,
  );
  expect(code).toBe(1);
  expect(text).not.toContain('secret');
});

it('exits with 0 if all is well and can be read', async () => {
  const { text, data, code } = await run('prod', { functions: rolledBack, answers: answers([]) });
  expect(text).toContain('\nAlarms: none is on\n');
  expect(data).toMatchObject({
    awsAccount: awsAccountOf('prod'),
    commit: 'bbb',
    alarms: [],
    tickets: { confirmed: ['ops@acme.test'], unconfirmed: ['sre@acme.test'] },
    pages: { confirmed: ['on-call@acme.test'], unconfirmed: [] },
    heartbeat: { passed: 56, failed: 2 },
  });
  expect(code).toBe(0);
});

it.each<[string, string, Record<string, Record<string, string>>]>([
  ['Tickets', 'has not confirmed', { [topic('tickets')]: { 'ops@acme.test': 'PendingConfirmation' } }],
  ['Pages', 'has unsubscribed', { [topic('pages')]: { 'ops@acme.test': 'Deleted' } }],
  ['Pages', 'is there', { [topic('pages')]: {} }],
])('exits with 1 if nobody gets %s, as the only recipient %s', async (kind, _, changed) => {
  const { text, code } = await run('prod', {
    functions: rolledBack,
    answers: answers([]),
    subscriptions: { ...subscriptions, ...changed },
  });
  expect(text).toContain(`\n${kind} go to: nobody`);
  expect(text.match(/nobody/g)).toHaveLength(1);
  expect(code).toBe(1);
});

it('exits with 1 if no alarm pages, although somebody is to be paged', async () => {
  const { text, code } = await run('prod', { functions: rolledBack, answers: answers([], []) });
  expect(text).toContain('\nPages go to: nobody\n');
  expect(code).toBe(1);
});

it('takes a topic of another AWS account as a recipient, whose subscriptions only that account may list', async () => {
  const AlarmActions = [topic('on-call', '999988887777')];
  const { text, code } = await run('prod', { functions: rolledBack, answers: answers([], [{ AlarmActions }]) });
  expect(text).toContain(`\nPages go to: ${AlarmActions}\n`);
  expect(code).toBe(0);
});

it('shows the rest if a part cannot be read, and says why', async () => {
  const { GetParameter, GetMetricData } = answers([]);
  const { text, code } = await run('prod', { functions: rolledBack, answers: { GetParameter, GetMetricData } });
  for (const part of ['Alarms', 'Tickets go to', 'Pages go to'])
    expect(text).toContain(`\n${part}: cannot be read: DescribeAlarms is not allowed\n`);
  expect(text).toContain('\nLast verification: 2026-11-27T04:00:00.000Z, findings: 2\n');
  expect(code).toBe(1);
});

it('says what the settings leave out, and where nothing was reported', async () => {
  const nothing = { DescribeAlarms: () => ({}), GetMetricData: () => ({ MetricDataResults: [{}] }) };
  expect((await run('dev', { answers: nothing })).text.split('\n').slice(2)).toEqual([
    'Versions: no earlier ones are kept; commit bbb',
    'Alarms: none is on',
    'Tickets go to: not in the settings',
    'Pages go to: not in the settings',
    'Heartbeat, last hour: not in the settings',
    "Heartbeat's token: not in the settings",
    'Last verification: not in the settings',
    'Last backup in the other account: not in the settings',
  ]);
  const missing = await run('prod', { answers: { ...nothing, GetParameter: () => ({}) } });
  expect(missing.code).toBe(1);
  expect(missing.text.split('\n').slice(4)).toEqual([
    'Tickets go to: nobody',
    'Pages go to: nobody',
    'Heartbeat, last hour: 0 passed, 0 failed, 60 not reported',
    "Heartbeat's token: missing: npm run admin -- heartbeat --env prod",
    'Last verification: none in three days',
    'Last backup in the other account: none in three days',
  ]);
});

it.each(Object.keys(reported))('exits with 1 if nothing was reported of %s', async (metric) => {
  const { GetMetricData, ...others } = answers([]);
  const silent = (input: JsonObject) =>
    JSON.stringify(input).includes(`"${metric}"`) ? { MetricDataResults: [{}] } : GetMetricData(input);
  const { code } = await run('prod', { functions: rolledBack, answers: { ...others, GetMetricData: silent } });
  expect(code).toBe(1);
});

it('exits with 1 if the token of the heartbeat has expired', async () => {
  const LastModifiedDate = now / 1_000 - 731 * 86_400;
  const GetParameter = () => ({ Parameter: { Value: 'secret', LastModifiedDate } });
  const { text, code } = await run('prod', { functions: rolledBack, answers: { ...answers([]), GetParameter } });
  expect(text).toMatch(/^Heartbeat's token: expires 2026-11-27/m);
  expect(code).toBe(1);
});

it('needs an environment', async () => {
  await expect(run(undefined, {})).rejects.toThrow("The command 'status' needs '--env'");
});
