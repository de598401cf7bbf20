import { describe, expect, it } from 'vitest';
import { timedContext } from '../../../lib/catalog/requestContext.ts';
import { OperatorError, openAccount } from '../../../lib/operator/accounts.ts';
import type { Database, TransactionParts } from '../../../lib/store/database/database.ts';

/** A database that keeps nothing and notes the partitions that it was to write to. */
async function open(account: string): Promise<Set<string | undefined>> {
  const partitions = new Set<string | undefined>();
  const transact = async (_context: unknown, parts: TransactionParts) => {
    for (const { Put } of Object.values(parts)) partitions.add(Put?.Item?.['pk']);
  };
  await openAccount({ table: 'table-1', transact } as unknown as Database, timedContext(0), account);
  return partitions;
}

describe('an account id', () => {
  it.each(['a', '0', 'acme', 'acme-2', 'a--b-', 'x'.repeat(63)])(
    'may be %s, and becomes part of the table keys',
    async (account) => {
      expect([...(await open(account))]).toContain(`ACCOUNT#${account}`);
    },
  );

  it.each(['', '-a', 'A', 'a#b', 'a#ITEMS', '#', 'a b', 'a_b', 'a.b', 'é', 'a\n', '__proto__', 'x'.repeat(64)])(
    'may not be %j, so that no id can form a key of another account',
    async (account) => {
      await expect(open(account)).rejects.toThrow(OperatorError);
    },
  );
});
