import { expect, it } from 'vitest';
import { type RecentChanges, recentChanges } from '../../client/items/followChanges.ts';
import { clientAnsweredBy } from '../support/client/clientOf.ts';

const day = 86_400_000;

/** Opens the history of an account, for which changes were recorded at these times, from the oldest to the newest. */
async function openHistory(times: readonly number[]): Promise<RecentChanges & { requests: number }> {
  let requests = 0;
  const fetch = async ({ url }: Request) => {
    requests += 1;
    const { from = '', cursor = times.length } = Object.fromEntries(new URL(url).searchParams);
    const first = from === '' ? Number(cursor) : times.filter((time) => time < Date.parse(from)).length;
    const data = times.slice(first, first + 100).map((number) => ({ number }));
    const next = first + data.length;
    const read_at = new Date().toISOString();
    return Response.json({ data, next_cursor: `${next}`, has_more: next < times.length, read_at });
  };
  const { value } = await recentChanges(clientAnsweredBy(fetch)).next();
  return { ...(value as RecentChanges), requests };
}

const even = (count: number, from: number, to: number) =>
  Array.from({ length: count }, (_, index) => from + ((to - from) * index) / count);

it('the history of a quiet day is all of it, by one request', async () => {
  const now = Date.now();
  const { requests, changes, isComplete } = await openHistory([now - 2 * day, ...even(45, now - day / 2, now)]);
  expect([requests, changes.length, isComplete]).toEqual([1, 45, true]);
  expect((await openHistory([])).requests).toBe(1);
});

it('the history of a day of 500 changes is all of it, by five requests, the newest first', async () => {
  const now = Date.now();
  const { requests, changes, isComplete } = await openHistory(even(500, now - day / 2, now));
  expect([requests, changes.length, isComplete]).toEqual([5, 500, true]);
  expect(changes[0]?.number).toBeGreaterThan(changes[499]?.number ?? 0);
});

it('the history of a day of 100,000 changes is its newest part, by a handful of requests', async () => {
  const now = Date.now();
  const { requests, changes, since, isComplete } = await openHistory(even(100_000, now - day, now));
  expect(requests).toBeLessThanOrEqual(10);
  expect(isComplete).toBe(true);
  expect(changes.length).toBeGreaterThanOrEqual(50);
  expect(changes[0]?.number).toBeGreaterThan(now - 2_000);
  expect(+since).toBeGreaterThan(now - 200_000);
  expect(+since).toBeLessThanOrEqual(changes.at(-1)?.number ?? 0);
});

it('the history after 100,000 changes at once is what followed, or else a part of them, and says so', async () => {
  const now = Date.now();
  const rows = Array.from({ length: 100_000 }, () => now - 1_200_000);
  const part = await openHistory(rows);
  expect([part.requests, part.changes.length, part.isComplete]).toEqual([18, 100, false]);
  const later = await openHistory([...rows, now - 1_190_000]);
  expect([later.requests, later.changes.length, later.isComplete]).toEqual([17, 1, true]);
});
