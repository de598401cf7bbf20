import { expect, it } from 'vitest';
import { timeouts } from '../../../lib/catalog/timeouts.ts';

it('every outer timeout is longer than the inner ones', () => {
  const { connection, exchange, transactionSettling, identityKeys, request, closing, integration } = timeouts;
  expect(connection).toBeLessThan(exchange);
  expect(transactionSettling + exchange).toBeLessThan(request);
  expect(identityKeys).toBeLessThan(request);
  expect(request + closing).toBeLessThan(timeouts.function);
  expect(timeouts.function).toBeLessThan(integration);
});
