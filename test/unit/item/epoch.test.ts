import { expect, it } from 'vitest';
import { parseTime } from '../../../lib/item/epoch.ts';

it.each([
  ['2026-11-24T10:00:00Z', '2026-11-24T10:00:00.000Z'],
  ['2026-11-24t10:00:00.5+05:30', '2026-11-24T04:30:00.500Z'],
  ['2026-11-24T10:00:00.123456789-23:59', '2026-11-25T09:59:00.123Z'],
  ['2024-02-29T23:59:59-00:00', '2024-02-29T23:59:59.000Z'],
  ['2016-12-31T23:59:60.5Z', '2017-01-01T00:00:00.500Z'],
  ['2017-01-01T05:29:60+05:30', '2017-01-01T00:00:00.000Z'],
])('%s is a time of RFC 3339', (text, time) => {
  expect(new Date(parseTime(text) ?? Number.NaN).toISOString()).toBe(time);
});

const on = (day: string) => `${day}T10:00:00Z`;
const at = (time: string) => `2026-11-24${time}`;

it.each([
  ['a day that its month does not have', ...['2026-02-30', '2026-04-31', '2023-02-29', '2026-13-01'].map(on)],
  ['a time that no day has', ...['T24:00:00Z', 'T10:60:00Z', 'T10:00:61Z', 'T10:00:00+24:00'].map(at)],
  ['a leap second within a day or a month', ...['T10:00:60Z', 'T23:59:60Z'].map(at), '2016-12-31T23:59:60+01:00'],
  ['another form', ...['T10:00:00', 'T10:00Z', 'T10:00:00.Z', 'T10:00:00,5Z', 'T10:00:00+0100', ' 10:00:00Z'].map(at)],
])('%s is none', (_, ...texts) => {
  expect(texts.filter((text) => parseTime(text) !== undefined)).toEqual([]);
});
