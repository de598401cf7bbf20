import { describe, expect, it } from 'vitest';
import type { Defaults } from '../../../../lib/catalog/catalogStore.ts';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { configureAccount } from '../../../../lib/store/catalog/configureAccount.ts';
import { resolved } from '../../../support/standIns/resolved.ts';
import { beginning, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

const session = ({ database }: ReturnType<typeof scripted>) => database.for(timedContext(beginning + 8_000));

describe('the defaults', () => {
  /** The update of the account's record. */
  const updateOf = async (defaults: Partial<Defaults>) => {
    const table = scripted([{}]);
    await configureAccount(session(table), 'acme').setDefaults(defaults);
    return table.sent[0]?.input.TransactItems[0].Update;
  };

  it('are set and removed in one expression, each of them once', async () => {
    expect(resolved(await updateOf({ category: null, tax: 0 }))).toMatchObject({
      UpdateExpression: 'SET default_tax = 0 REMOVE default_category',
    });
  });

  it('send no values if nothing is set, because DynamoDB rejects an empty map', async () => {
    expect(await updateOf({ category: null })).not.toHaveProperty('ExpressionAttributeValues');
  });
});

describe('the id of a new category', () => {
  it('is the next one after a lost response, because ids may have gaps', async () => {
    const added = { Attributes: { default_tax: 0, last_category: 3 } };
    const table = scripted([sdkError('TimeoutError', undefined), added, {}]);
    expect(await configureAccount(session(table), 'acme').addCategory('Chairs')).toBe(3);
    expect(table.sent.map(({ name }) => name)).toEqual(['Update', 'Update', 'TransactWrite']);
  });
});
