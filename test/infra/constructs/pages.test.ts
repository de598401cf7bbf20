import { describe, expect, it } from 'vitest';
import { heartbeatChecks } from '../../../admin/smoke/checks.ts';
import { alarmDefinitions } from '../../../infra/constructs/alarmDefinitions.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { Random } from '../../support/time/random.ts';
import { type Json, propertiesOf, templateOf } from '../templateOf.ts';

/** What happens in a minute, or in several. */
const nothing = {
  requests: 0,
  failed: 0,
  unauthorized: 0,
  /** Failed checks of the heartbeat. */
  beat: 0,
  /** Requests of the identity provider's users, and how many of them were refused. */
  users: 0,
  usersRefused: 0,
  /** Of callers, of which some were refused. */
  writes: 0,
  refused: 0,
};

type Happening = typeof nothing;

/** What happened as the metrics show it, each by its name and statistic; not a number where there is no data. */
const metricsOf = (happening: Happening): Record<string, number> => {
  const { requests, failed, unauthorized, beat, users, usersRefused, writes, refused } = happening;
  return {
    'Count Sum': requests,
    '5XXError Average': failed / requests,
    'Unauthorized Sum': unauthorized,
    'HeartbeatFailures Minimum': beat,
    'RefusedUsers Minimum': users === 0 ? Number.NaN : Number(users === usersRefused),
    'RefusedUsers SampleCount': users || Number.NaN,
    'RefusedWrites SampleCount': writes || Number.NaN,
    'RefusedWrites Average': refused / writes,
  };
};

/** Minutes as one period. */
function together(minutes: readonly Happening[]): Happening {
  const all = { ...nothing, beat: 1 };
  for (const minute of minutes) {
    for (const name of Object.keys(nothing) as (keyof Happening)[]) all[name] += minute[name];
  }
  return { ...all, beat: Math.min(...minutes.map(({ beat }) => beat)) };
}

const all = propertiesOf(templateOf('prod', optionalSettings), 'AWS::CloudWatch::Alarm').filter(
  ({ AlarmActions }) => AlarmActions,
);
const alarm = (name: keyof typeof alarmDefinitions): Json => all[Object.keys(alarmDefinitions).indexOf(name)];

const secondsOf = ({ Period, Metrics }: Json): number =>
  Period ?? Metrics.find(({ MetricStat }: Json) => MetricStat).MetricStat.Period;

/**
 * What an alarm of the template finds in each of consecutive periods, by the functions of CloudWatch that alarms use; not
 * a number where there is no data.
 */
function found(of: Json, periods: readonly Happening[]): number[] {
  const shown = periods.map(metricsOf);
  const seconds = secondsOf(of);
  let at = 0;
  const inEach = (value: () => number): number[] =>
    periods.map((_, each) => {
      at = each;
      return value();
    });
  const known = new Map<number, number>();
  /** A number about all periods, which is the same in each. */
  const ofAll = (reduce: (values: number[]) => number) => (call: number, value: () => number) => {
    const was = at;
    if (!known.has(call)) known.set(call, reduce(inEach(value).filter((each) => !Number.isNaN(each))));
    at = was;
    return known.get(call);
  };
  const scope = {
    /** Without a value to choose there is none. Where the one that is chosen is missing, it is 0. */
    IF: (condition: boolean, yes: number, ...no: number[]) => {
      const [chosen] = condition ? [yes] : no;
      return chosen === undefined ? Number.NaN : chosen || 0;
    },
    FILL: (value: number, missing: number) => (Number.isNaN(value) ? missing : value),
    /** Both have a value in each period, also where the series that they are given has none. */
    EPOCH: () => at * seconds,
    HOUR: () => Math.floor((at * seconds) / 3_600) % 24,
    MAX: ofAll((values) => Math.max(...values)),
    SUM: ofAll((values) => values.reduce((total, value) => total + value, 0)),
  };
  let calls = 0;
  const evaluated = (expression: string): (() => number) => {
    const text = expression.replaceAll('^', '**').replaceAll(' AND ', ' && ').replaceAll(' OR ', ' || ');
    const body = text.replaceAll(/\b(MAX|SUM)\(/g, (call) => `${call}${calls++}, () => `);
    return new Function('scope', `with (scope) return ${body}`).bind(undefined, scope);
  };
  const single = { Metric: of, Stat: of.Statistic };
  for (const { Id, Expression, MetricStat = single } of of.Metrics ?? [{ Id: 'single' }]) {
    const name = `${MetricStat.Metric.MetricName} ${MetricStat.Stat}`;
    Object.defineProperty(scope, Id, { get: Expression ? evaluated(Expression) : () => shown[at]?.[name] });
  }
  return inEach(evaluated(of.Metrics?.[0].Id ?? 'single'));
}

/** In which minutes an alarm is on, as CloudWatch evaluates it: each minute, from there back. */
function isOnIn(minutes: readonly Happening[], of: Json): boolean[] {
  const length = secondsOf(of) / 60;
  const periods = minutes.map((_, at) => together(minutes.slice(Math.max(0, at + 1 - length), at + 1)));
  const values = found(of, periods);
  let isOn = false;
  return values.map((_, at) => {
    const looked = Array.from({ length: of.EvaluationPeriods }, (_, back) => values[at - back * length] ?? Number.NaN);
    const isSame = of.TreatMissingData === 'ignore' && looked.every(Number.isNaN);
    if (!isSame) isOn = looked.filter((value) => value > of.Threshold).length >= of.DatapointsToAlarm;
    return isOn;
  });
}

/** In which minutes the alarms page that page for what callers meet. */
function pagesIn(minutes: readonly Happening[]): number[] {
  const paging = (['serverErrors', 'noHeartbeat', 'refusedCallers', 'refusedUsers'] as const).map(alarm);
  const on = paging.map((of) => isOnIn(minutes, of));
  const isOn = minutes.map((_, at) => on.some((states) => states[at]));
  return [...isOn.keys()].filter((at) => isOn[at] && isOn[at - 1] !== true);
}

type Some = (of: number, share: number) => number;
type Incident = (callers: number, some: Some) => Partial<Happening>;

/** The heartbeat's requests in a minute, of which two are to get 401. */
const beats = heartbeatChecks('token').length;

/** A day with an incident in some minutes, beside the heartbeat. Each caller is a user of the provider. */
function dayWith(incident: Incident, rate: number, isIn: (at: number) => boolean): Happening[] {
  const random = new Random(1);
  const times = (count: number, isOne: () => boolean) => Array.from({ length: count }).filter(isOne).length;
  /** Each by itself; of many, as many as a normal distribution gives. */
  const some: Some = (of, share) => {
    const deviation = Math.sqrt(of * share * (1 - share));
    if (deviation < 5) return times(of, () => random.chance(share));
    const normal = times(100, () => random.chance(0.5)) / 5 - 10;
    return Math.max(0, Math.round(of * share + deviation * normal));
  };
  const most = Math.max(600, 2 * rate);
  return Array.from({ length: 24 * 60 }, (_, at) => {
    const callers = some(most, rate / most);
    const usual = { ...nothing, requests: callers + beats, unauthorized: 2, users: callers };
    return { ...usual, ...(isIn(at) && incident(callers, some)) };
  });
}

const within = (from: number, to: number) => (at: number) => from <= at && at < to;
const perMinute = { 'an hour': 1 / 60, 'a minute': 1, 'a second': 60, '20 ms': 3_000 };
const rates = Object.entries(perMinute);
const atEachRate = <Rest extends unknown[]>(...cases: [string, ...Rest][]) =>
  rates.flatMap(([name, rate]) => cases.map(([what, ...rest]) => [what, name, rate, ...rest] as const));

const refused: Incident = (callers) => ({ usersRefused: callers, unauthorized: callers + 2 });

it.each(
  atEachRate<[number, Incident]>(
    [
      'every request fails with a chance of 0.9 %',
      0,
      (callers, some) => {
        const first = some(beats, 0.009);
        const again = some(first, 0.009);
        return { failed: some(callers, 0.009) + first + again, beat: again };
      },
    ],
    ['a token that has expired is sent again and again', 1, (callers) => ({ unauthorized: callers + 2 })],
    ['half the requests of 1 in 10 callers are throttled', 1, (callers, some) => ({ failed: some(callers, 0.05) })],
    ['half the requests of all callers are throttled', 1, (callers, some) => ({ failed: some(callers, 0.5) })],
    ["the identity provider's users are refused", 1, refused],
    ['1 in 5 users is refused', 0, (callers, some) => ({ usersRefused: some(callers, 0.2) })],
  ),
)('a day on which %s, at one request each %s, has few pages', (_what, _name, rate, most, incident) => {
  expect(pagesIn(dayWith(incident, rate, () => true)).length).toBeLessThanOrEqual(most);
});

it.each([0.25, 0.5, 1])('an account of which %d is throttled, at a request a minute, is a ticket, no page', (share) => {
  const throttled: Incident = (callers, some) => ({ failed: some(callers, share) });
  expect(pagesIn(dayWith(throttled, 1, () => true))).toEqual([]);
});

const outage: Incident = (callers) => ({ failed: callers + beats, beat: 1 });

it.each(rates)('an hour in which all requests fail, at one each %s, is one page within ten minutes', (_, rate) => {
  const [page = 0, ...more] = pagesIn(dayWith(outage, rate, within(600, 660)));
  expect(page).toBeGreaterThanOrEqual(600);
  expect(page).toBeLessThan(610);
  expect(more).toEqual([]);
});

it.each(rates)('two outages of ten minutes, 90 minutes apart, are two pages at one request each %s', (_, rate) => {
  const isOut = (at: number) => within(600, 610)(at) || within(690, 700)(at);
  const pages = pagesIn(dayWith(outage, rate, isOut));
  expect(pages.map((page) => Math.floor((page - 600) / 6))).toEqual([0, 15]);
});

it.each([
  ['a minute', 65],
  ['a second', 10],
  ['20 ms', 10],
] as const)("the identity provider's outage, at one request each %s, is one page within %i minutes", (name, most) => {
  const pages = pagesIn(dayWith(refused, perMinute[name], within(300, 900)));
  expect(pages).toHaveLength(1);
  expect(pages[0]).toBeGreaterThanOrEqual(300);
  expect(pages[0]).toBeLessThan(300 + most);
});

it("the alarm about the identity provider's users stays on while nobody calls, until one is let in", () => {
  const hours = [
    [9, 9],
    [0, 0],
    [0, 0],
    [1, 0],
  ].map(([users = 0, usersRefused = 0]) => ({ ...nothing, users, usersRefused }));
  const on = isOnIn(
    hours.flatMap((hour) => [hour, ...Array.from({ length: 59 }, () => nothing)]),
    alarm('refusedUsers'),
  );
  expect([59, 119, 179, 239].map((at) => on[at])).toEqual([true, true, true, false]);
});

describe('refused writes', () => {
  const own = alarm('refusedWrites');
  /** Whether there is a ticket in the last hour, of as many days as it looks back, and how many it looks at. */
  const isOn = (writesAt: (hour: number) => Pick<Happening, 'writes' | 'refused'>) => {
    const hours = Array.from({ length: own.EvaluationPeriods }, (_, hour) => ({ ...nothing, ...writesAt(hour) }));
    return found(own, hours).some((value) => value > own.Threshold);
  };
  const last = own.EvaluationPeriods - 1;
  const of = (writes: number, share: number) => ({ writes: Math.floor(writes), refused: Math.floor(writes * share) });

  it.each([
    ['an hour', false],
    ['a minute', true],
    ['a second', true],
    ['20 ms', true],
  ] as const)('of a version that refuses 30 % of valid ones, at one each %s, are a ticket: %s', (name, is) => {
    expect(isOn((hour) => of(60 * perMinute[name], hour === last ? 0.34 : 0.04))).toBe(is);
  });

  it('are none if they are as many as at this hour of the days before, such as of an import each night', () => {
    expect(isOn((hour) => of(600, hour % 24 === last % 24 ? 0.4 : 0.02))).toBe(false);
    expect(isOn((hour) => of(600, hour % 24 === last % 24 ? 0.02 : 0.4))).toBe(false);
  });

  it.each<[string, (hour: number) => [writes: number, share: number]]>([
    ['the first day', (hour) => [hour > last - 24 ? 600 : 0, 0.5]],
    ['the second day, if they were as many on the first', (hour) => [hour > last - 48 ? 600 : 0, 0.5]],
    [
      'an hour in which there are writes once a week, such as of a price list',
      (hour) => [hour === last ? 600 : 0, 0.5],
    ],
    ['hours without writes beside a busy one', (hour) => [hour % 24 === 9 ? 600 : 0, 0.5]],
    ['office hours, of which a quarter is always refused', (hour) => [hour % 24 > 8 && hour % 24 < 18 ? 300 : 0, 0.25]],
  ])('are none in %s', (_, writesAt) => {
    for (const offset of [0, 9, 12]) expect(isOn((hour) => of(...writesAt(hour - offset)))).toBe(false);
  });

  it('are a ticket also if some of the days before had no writes', () => {
    expect(isOn((hour) => of(hour % 48 === last % 48 || hour === last ? 600 : 0, hour === last ? 0.4 : 0.1))).toBe(
      true,
    );
  });

  it('end as a ticket with the next hour in which they are as many as before', () => {
    expect(isOn((hour) => of(600, hour === last - 1 ? 0.9 : 0.04))).toBe(false);
  });
});
