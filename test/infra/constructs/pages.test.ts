import { expect, it } from 'vitest';
import { alarmDefinitions } from '../../../infra/constructs/alarmDefinitions.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { Random } from '../../support/time/random.ts';
import { propertiesOf, templateOf } from '../templateOf.ts';

/** What happens in a minute. */
interface Minute {
  readonly requests: number;
  readonly failed: number;
  readonly unauthorized: number;
  /** Failed checks of the heartbeat. */
  readonly beat: number;
  /** Whether all users of the identity provider were refused; undefined if none has called. */
  readonly usersRefused?: boolean | undefined;
}

/** A minute as the metrics show it, each by its name and statistic. */
const metricsOf = ({
  requests,
  failed,
  unauthorized,
  beat,
  usersRefused,
}: Minute): Record<string, number | undefined> => ({
  'Count Sum': requests,
  '5XXError Average': failed / requests,
  'Unauthorized Sum': unauthorized,
  'HeartbeatFailures Minimum': beat,
  'RefusedUsers Minimum': usersRefused === undefined ? undefined : Number(usersRefused),
});

/** The functions of CloudWatch's expressions that the alarms use. */
const functions = {
  IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
  FILL: (value: number | undefined, missing: number) => value ?? missing,
};

// biome-ignore lint/suspicious/noExplicitAny: properties of an alarm are JSON.
type Alarm = any;

/** What an alarm of the template finds in a minute. */
function found({ Metrics }: Alarm, minute: Minute): number | undefined {
  const metrics = metricsOf(minute);
  const sources = Metrics.filter(({ MetricStat }: Alarm) => MetricStat);
  const names = sources.map(({ Id }: Alarm) => Id);
  const values = sources.map(({ MetricStat: { Metric, Stat } }: Alarm) => metrics[`${Metric.MetricName} ${Stat}`]);
  const { Expression = names[0] } = Metrics[0];
  const evaluate = new Function(...Object.keys(functions), ...names, `return ${Expression.replaceAll('^', '**')}`);
  return evaluate(...Object.values(functions), ...values);
}

/** The alarms that page for what callers meet. */
const paging = propertiesOf(templateOf('prod', optionalSettings), 'AWS::CloudWatch::Alarm')
  .filter(({ AlarmActions }) => AlarmActions)
  .filter((_, index) =>
    ['serverErrors', 'noHeartbeat', 'refusedCallers', 'refusedUsers'].includes(
      Object.keys(alarmDefinitions)[index] ?? '',
    ),
  );

/** In which minutes the alarms page, as CloudWatch evaluates them. */
function pagesIn(minutes: readonly Minute[]): number[] {
  const isOn = new Array<boolean>(minutes.length).fill(false);
  for (const alarm of paging) {
    const above = minutes.map((minute) => (found(alarm, minute) ?? 0) > alarm.Threshold);
    for (const at of minutes.keys()) {
      const looked = above.slice(Math.max(0, at + 1 - alarm.EvaluationPeriods), at + 1);
      if (looked.filter(Boolean).length >= alarm.DatapointsToAlarm) isOn[at] = true;
    }
  }
  return [...isOn.keys()].filter((at) => isOn[at] && isOn[at - 1] !== true);
}

type Incident = (callers: number, some: (of: number, share: number) => number) => Partial<Minute>;

/** A day with an incident from a minute to another, beside the heartbeat's 13 requests, of which two are to get 401. */
function dayWith(incident: Incident, rate: number, from: number, to: number): Minute[] {
  const random = new Random(1);
  const some = (of: number, share: number) => Array.from({ length: of }).filter(() => random.chance(share)).length;
  return Array.from({ length: 24 * 60 }, (_, at) => {
    const callers = some(600, rate / 600);
    const usual = { requests: callers + 13, failed: 0, unauthorized: 2, beat: 0 };
    return { ...usual, ...(from <= at && at < to && incident(callers, some)) };
  });
}

const perMinute = { 'an hour': 1 / 60, 'a minute': 1, 'a second': 60 };
const atEachRate = <Rest extends unknown[]>(...cases: [string, ...Rest][]) =>
  Object.entries(perMinute).flatMap(([name, rate]) =>
    cases.map(([what, ...rest]) => [what, name, rate, ...rest] as const),
  );

it.each(
  atEachRate<[number, Incident]>(
    [
      'every request fails with a chance of 0.9 %',
      0,
      (callers, some) => {
        const first = some(13, 0.009);
        const again = some(first, 0.009);
        return { failed: some(callers, 0.009) + first + again, beat: again };
      },
    ],
    ['a token that has expired is sent again and again', 1, (callers) => ({ unauthorized: callers + 2 })],
    ['half the requests of 1 in 10 callers are throttled', 1, (callers, some) => ({ failed: some(callers, 0.05) })],
  ),
)('a day on which %s, at one request %s, has few pages', (_what, _name, rate, most, incident) => {
  expect(pagesIn(dayWith(incident, rate, 0, Number.POSITIVE_INFINITY)).length).toBeLessThanOrEqual(most);
});

const refused: Incident = (callers) => ({ usersRefused: callers > 0 ? true : undefined, unauthorized: callers + 2 });

it.each([
  ...atEachRate<[Incident]>(['all requests fail', (callers) => ({ failed: callers + 2, beat: 1 })]),
  ...atEachRate<[Incident]>(["the identity provider's users are refused", refused]).slice(1),
])('an hour in which %s, at one request %s, is one page within ten minutes', (_what, _name, rate, incident) => {
  const [page = 0, ...more] = pagesIn(dayWith(incident, rate, 600, 660));
  expect(page).toBeGreaterThanOrEqual(600);
  expect(page).toBeLessThan(610);
  expect(more).toEqual([]);
});
