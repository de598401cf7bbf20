import { afterEach, expect, it, vi } from 'vitest';
import { type OutgoingRow, sendBatches } from '../../client/http/sendBatches.ts';
import { createCatalogClient } from '../../client/public/index.ts';
import { hurry } from '../support/time/hurry.ts';

afterEach(() => vi.unstubAllGlobals());

const error = { code: 'INTERNAL_ERROR', message: 'The request failed.' };
const refusal = (status: number, code = error.code) => Response.json({ error: { ...error, code } }, { status });

/** Sends one batch to a service that answers as told. @returns the names that were sent each time, and the results */
async function sent(
  rows: readonly OutgoingRow[],
  answer: (rows: readonly { name: string }[], time: number) => Response,
) {
  hurry();
  const names: string[][] = [];
  const client = createCatalogClient({
    baseUrl: 'http://catalog.test',
    getAccessToken: async () => `token ${names.length}`,
    fetch: async (request) => {
      const { rows: given } = (await request.json()) as { rows: { name: string }[] };
      return answer(given, names.push(given.map(({ name }) => name)));
    },
  });
  for await (const { results } of sendBatches(client, [{ rows }], {})) return { names, results };
  throw new Error('There were no results.');
}

it.each([
  [429, 'first'],
  [401, 'first'],
  [500, 'again'],
  [503, 'again'],
])('after %i for a whole batch, its rows are sent as the %s time', async (status, expected) => {
  const rows = [{ row: { name: 'first' }, again: { name: 'again' } }, { row: { name: 'other' } }];
  const { names } = await sent(rows, (given, time) =>
    // As often as the client repeats a request by itself.
    time <= 5 ? refusal(status, 'BUSY') : Response.json({ data: given.map(() => ({ status: 200 })) }),
  );
  expect(names.at(-1)).toEqual([expected, 'other']);
});

it.each([
  [500, 'INTERNAL_ERROR'],
  [413, 'PAYLOAD_TOO_LARGE'],
])('%i is the answer of the rows that are left, once others of the batch are decided', async (status, code) => {
  const rows = ['a', 'b', 'c'].map((name) => ({ row: { name } }));
  const { results } = await sent(rows, (given, time) => {
    const decide = ({ name }: { name: string }) => (name === 'b' ? { status: 200 } : { status: 500, error });
    return time === 1 ? Response.json({ data: given.map(decide) }) : refusal(status, code);
  });
  expect(results.map((result) => result.status)).toEqual([status, 200, status]);
});
