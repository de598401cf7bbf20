import { describe, expect, it } from 'vitest';
import { openAccount } from '../../../../admin/accounts/accounts.ts';
import { CommandError } from '../../../../cli/commandError.ts';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { beginning, scripted } from '../../../support/standIns/scripted.ts';

const session = ({ database }: ReturnType<typeof scripted>) => database.for(timedContext(beginning + 8_000));

/** Opens an account in a database that stores nothing. @returns the partitions of the writes */
async function open(account: string): Promise<Set<string>> {
  const table = scripted([{}]);
  await openAccount(session(table), account);
  const parts: { Put?: { Item: { pk: string } } }[] = table.sent[0]?.input.TransactItems;
  return new Set(parts.flatMap(({ Put }) => (Put === undefined ? [] : [Put.Item.pk])));
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
      await expect(open(account)).rejects.toBeInstanceOf(CommandError);
      await expect(open(account)).rejects.toThrow(`The account id "${account}" must `);
    },
  );
});
