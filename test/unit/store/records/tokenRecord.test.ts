import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createToken, tokenHash } from '../../../../lib/access/tokenFormat.ts';
import { newTokenRecord, readToken } from '../../../../lib/store/records/tokenRecord.ts';

it.each([[['catalog:edit', 1]], [['a catalog:edit']], ['catalog:edit']])('%j are no permissions', (permissions) => {
  const record = newTokenRecord(createToken(), { account: 'acme', user: 'ann', permissions: [], expiresAt: 1_001 });
  expect(() => readToken({ ...record, permissions })).toThrow(z.core.$ZodError);
});

describe('the record of a token', () => {
  it('has the caller under the token’s hash, and never the token', () => {
    const token = createToken();
    const record = newTokenRecord(token, {
      account: 'acme',
      user: 'ann',
      permissions: ['catalog:edit'],
      expiresAt: 1_001,
    });
    expect(record).toMatchObject({
      pk: `TOKEN#${tokenHash(token)}`,
      sk: 'TOKEN',
      account: 'acme',
      user: 'ann',
      permissions: ['catalog:edit'],
      expires_at: 1001,
    });
    expect(JSON.stringify(record)).not.toContain(token);
    expect(JSON.stringify(record)).not.toContain(token.slice(4, -6));
  });
});
