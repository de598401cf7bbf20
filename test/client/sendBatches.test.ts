import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { divideRows, type OutgoingRow, sendBatches } from '../../client/http/sendBatches.ts';
import { createCatalogClient } from '../../client/public/index.ts';
import { clientAnsweredBy } from '../support/client/clientOf.ts';
import { hurry } from '../support/time/hurry.ts';

afterEach(() => vi.unstubAllGlobals());

const error = { code: 'INTERNAL_ERROR', message: 'The request failed.' };
const refusal = (status: number, code = error.code) => Response.json({ error: { ...error, code } }, { status });

/** Sends one batch to a service that answers as told. @returns the names that were sent each time, and the results */
async function sent(
  rows: readonly OutgoingRow[],
  answer: (rows: readonly { name: string }[], time: number) => Response | Promise<Response>,
) {
  hurry();
  const names: string[][] = [];
  const failures = vi.fn();
  const client = createCatalogClient({
    baseUrl: 'http://catalog.test',
    getAccessToken: async () => `token ${names.length}`,
    fetch: async (request) => {
      const { rows: given } = (await request.json()) as { rows: { name: string }[] };
      return answer(given, names.push(given.map(({ name }) => name)));
    },
  });
  for await (const { results } of sendBatches(client, [{ rows }], { onFailure: failures }))
    return { names, statuses: results.map(({ status }) => status), failures: failures.mock.calls.length };
  throw new Error('There were no results.');
}

it.each([
  ['429', 'first', () => refusal(429, 'BUSY')],
  ['401, until the user has signed in', 'first', () => refusal(401, 'UNAUTHORIZED')],
  ['500', 'again', () => refusal(500)],
  ['503', 'again', () => refusal(503, 'BUSY')],
  ['no answer', 'again', () => Promise.reject(new TypeError('Failed to fetch'))],
])('rows of a batch, as a whole answered by %s, are sent as the %s time, also in a hidden page', async (...given) => {
  const [, expected, answer] = given;
  vi.stubGlobal('document', Object.assign(new EventTarget(), { hidden: true }));
  const rows = [{ row: { name: 'first' }, again: { name: 'again' } }, { row: { name: 'other' } }];
  const { names, failures } = await sent(rows, (some, time) =>
    // As often as the client repeats a request by itself.
    time <= 5 ? answer() : Response.json({ data: some.map(() => ({ status: 200 })) }),
  );
  expect(names.at(-1)).toEqual([expected, 'other']);
  expect(failures).toBeGreaterThan(0);
});

it.each([
  [500, 'INTERNAL_ERROR'],
  [413, 'PAYLOAD_TOO_LARGE'],
])('%i is the answer of the rows that are left, once others of the batch are decided', async (status, code) => {
  const rows = ['a', 'b', 'c'].map((name) => ({ row: { name }, again: { name: `${name} again` } }));
  const { names, statuses } = await sent(rows, (given, time) => {
    const decide = ({ name }: { name: string }) => (name === 'b' ? { status: 200 } : { status: 500, error });
    return time === 1 ? Response.json({ data: given.map(decide) }) : refusal(status, code);
  });
  expect(statuses).toEqual([status, 200, status]);
  expect(names[1]).toEqual(['a again', 'c again']);
  expect((await sent(rows.slice(0, 1), () => refusal(status, code))).statuses).toEqual([status]);
});

it.each([
  ['fails each time', [500], 5, 500],
  ['fails four times', [500, 500, 500, 500, 201], 5, 201],
  ['fails, also after the service was busy', [500, 500, 503, 500], 8, 500],
  ['is busy for long, and then invalid', [503, 503, 503, 503, 503, 503, 503, 422], 8, 422],
  ['has no answer', [], 5, 502],
])('the others of a batch are decided, one row of which %s', async (_, statuses, requests, last) => {
  for (const others of [49, 0]) {
    const rows = Array.from({ length: others + 1 }, () => ({ row: { name: 'Chair' } }));
    const { names, statuses: results } = await sent(rows, (given, time) => {
      const status = statuses[time - 1] ?? statuses.at(-1);
      const decided = given.slice(1).map(() => ({ status: 201 }));
      return Response.json({ data: status === undefined ? decided : [...decided, { status, error }] });
    });
    expect(results).toEqual([...Array(others).fill(201), last]);
    expect(names).toHaveLength(requests);
  }
});

it('at most 50 rows or 200 KB are sent at once, and two batches at a time', async () => {
  const rows = Array.from({ length: 130 }, (_, index) => ({ name: 'ü'.repeat(index < 30 ? 9_999 : 9) }));
  const batches = divideRows(rows, (row) => row);
  expect(batches.flat()).toEqual(rows);
  expect(Math.max(...batches.map((batch) => batch.length))).toBe(50);
  for (const batch of batches) expect(Buffer.byteLength(JSON.stringify(batch))).toBeLessThan(201_000);
  let [running, most] = [0, 0];
  const client = clientAnsweredBy(async (request) => {
    running += 1;
    most = Math.max(most, running);
    const { rows: given } = (await request.json()) as { rows: object[] };
    await setImmediate();
    running -= 1;
    return Response.json({ data: given.map(() => ({ status: 201 })) });
  });
  let answered = 0;
  const all = batches.map((batch) => ({ rows: batch.map((row) => ({ row })) }));
  for await (const { results } of sendBatches(client, all, {})) answered += results.length;
  expect([answered, most]).toEqual([130, 2]);
});
