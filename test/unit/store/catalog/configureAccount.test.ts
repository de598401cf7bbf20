import { expect, it } from 'vitest';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { configureAccount } from '../../../../lib/store/catalog/configureAccount.ts';
import { beginning, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

it('a new category has the next id after a lost response, because ids may have gaps', async () => {
  const added = { Attributes: { default_tax: 0, last_category: 3 } };
  const { database, sent } = scripted([sdkError('TimeoutError', undefined), added, {}]);
  const session = database.for(timedContext(beginning + 8_000));
  expect(await configureAccount(session, 'acme').addCategory('Chairs')).toBe(3);
  expect(sent.map(({ name }) => name)).toEqual(['Update', 'Update', 'TransactWrite']);
});
