import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzRequest } from './fuzzRequest.ts';
import { cpuLimit, openTarget } from './fuzzTarget.ts';
import { KnownItems } from './knownItems.ts';
import { documentedRefusals, violations } from './violations.ts';

/** `npm run nightly -- fuzz` sends more, and others each night. */
const settings = process.env['NIGHTLY'] === undefined ? { numRuns: 700 } : { numRuns: 20_000, seed: Date.now() };

it('hostile bodies get documented responses within the CPU limit, and each of them at least once', async () => {
  const target = await openTarget();
  const known = new KnownItems();
  const seen = new Set<string>();
  const property = fc.asyncProperty(fuzzRequest(target.callers), async (request) => {
    const { response, cpu } = await target.send(request);
    expect([violations(request, response, known), response.body.slice(0, 2_000)]).toEqual([[], expect.any(String)]);
    expect(cpu).toBeLessThanOrEqual(cpuLimit);
    seen.add(`${request.operation} ${JSON.parse(response.body).error?.code ?? response.statusCode}`);
  });
  await fc.assert(property, settings);
  expect(await target.unreportedWrites()).toBe(0);
  expect(await target.findings()).toEqual([]);
  const documented = Object.entries(documentedRefusals).flatMap(([operation, codes]) =>
    codes.map((code) => `${operation} ${code}`),
  );
  expect([...seen].sort()).toEqual(['createItem 201', 'updateItem 200', ...documented].sort());
});
