import { expect, it } from 'vitest';
import { shareOf } from '../../../lib/access/shareOf.ts';
import { shareKey } from '../../../lib/access/shares.ts';

const keyOf = (index: number) => shareKey('catalog-dev', index);
const keys = Array.from({ length: 64 }, (_, index) => keyOf(index));
const tenants = Array.from({ length: 1_000 }, (_, index) => `tenant-${index}`);

it('accounts spread over all shares but those that an account has alone', () => {
  const settings = { stack: 'catalog-dev', own: ['heartbeat', 'acme'] };
  expect(new Set(tenants.map((account) => shareOf(account, settings)))).toEqual(new Set(keys.slice(2)));
  expect([shareOf('heartbeat', settings), shareOf('acme', settings)]).toEqual([keyOf(0), keyOf(1)]);
});

it('keys are as long as API Gateway requires', () => {
  for (const key of keys) expect(key.length).toBeGreaterThanOrEqual(20);
});
