import { expect, it } from 'vitest';
import { timeouts } from '../../../lib/catalog/timeouts.ts';

it('every outer timeout is longer than the inner ones', () => {
  const { connection, databaseRequest, transactionSettling, identityKeys, request, responseMargin, integration } =
    timeouts;
  expect(connection).toBeLessThan(databaseRequest);
  expect(transactionSettling + databaseRequest).toBeLessThan(request);
  expect(3 * databaseRequest).toBeLessThanOrEqual(timeouts.batchRow);
  expect(timeouts.batchRow).toBeLessThan(request);
  expect(identityKeys).toBeLessThan(request);
  expect(request + responseMargin).toBeLessThan(timeouts.function);
  expect(timeouts.function).toBeLessThan(integration);
});
