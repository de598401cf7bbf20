import { issueToken, openAccount } from '../../admin/accounts/accounts.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { configureAccount } from '../../lib/store/catalog/configureAccount.ts';
import { keys } from '../../lib/store/records/keys.ts';
import type { ApiRequest } from '../support/api/apiRequests.ts';
import { copyLost } from '../support/table/restoredTables.ts';
import { batch, gone, put, stored } from '../support/table/storedRecords.ts';
import { createTestTable, type TestEngine, type TestTable } from '../support/table/testTable.ts';
import { ask, type Fixture } from './fixture.ts';
import { creates, idOf, lostUpdate, reads, updates } from './requests.ts';

const account = 'acme';
const work = () => timedContext(Date.now() + 60_000);

interface Live extends Pick<TestTable, 'client' | 'table' | 'database'> {
  readonly engine: TestEngine;
}

/** Opens the account, and issues its tokens. */
async function open({ database }: Live): Promise<Fixture['tokens']> {
  await openAccount(database.for(work()), account);
  for (const name of ['General', 'Furniture', 'Old'])
    await configureAccount(database.for(work()), account).addCategory(name);
  await configureAccount(database.for(work()), account).setDefaults({ category: 1, tax: 2.5 });
  await configureAccount(database.for(work()), account).addUnit('pallet', 1);
  const expiresAt = Math.floor(Date.now() / 1_000) + 24 * 60 * 60;
  const issue = async (user: string, permissions: ('catalog:edit' | 'catalog:cost:read')[]) =>
    (await issueToken(database.for(work()), { account, user, permissions, expiresAt }, Date.now())).token;
  const [editor, reader] = [await issue('ann', ['catalog:edit', 'catalog:cost:read']), await issue('bob', [])];
  return { editor: editor.replace('cat_', ''), reader: reader.replace('cat_', '') };
}

/** Loses an item with its guards, and puts it back from a copy of the table. */
async function loseAndRestore({ engine, client, table }: Live): Promise<void> {
  const copy = await createTestTable(engine);
  await batch(copy, (await stored({ client, table })).map(put));
  const lost = [
    keys.item(account, idOf('restored')),
    ...(['sku', 'pn'] as const).map((name) => keys.guard(account, name, 'R-1')),
  ];
  const to = Date.now();
  await batch({ client, table }, lost.map(gone));
  await copyLost(copy, { client, table }, { account }, { to });
}

/**
 * Writes records of every kind through the service, and reads them.
 * @param url the address of the service, which uses the table
 * @param loseAnswer makes the response to the service's next update get lost
 */
export async function writeRecords(live: Live, url: string, loseAnswer: () => void): Promise<Fixture> {
  const tokens = await open(live);
  const write = async (request: ApiRequest): Promise<void> => {
    const { status, body } = await ask(url, tokens.editor, request);
    if (status >= 300) throw new Error(`${request.method} ${request.path}: ${JSON.stringify(body)}`);
  };
  for (const request of creates) await write(request);
  await configureAccount(live.database.for(work()), account).changeCategory(3, { archived: true });
  for (const request of updates) await write(request);
  loseAnswer();
  await write(lostUpdate);
  await loseAndRestore(live);
  const records = (await stored(live)).filter(
    (record) => String(record['pk']).includes(`#${account}`) || record['account'] === account,
  );
  return { tokens, records, exchanges: await answers(url, tokens) };
}

/** Sends all reads, and follows the cursors. */
async function answers(url: string, tokens: Fixture['tokens']): Promise<Fixture['exchanges']> {
  const exchanges: Fixture['exchanges'][number][] = [];
  for (const by of ['reader', 'editor'] as const)
    for (const read of reads[by])
      for (let request: ApiRequest | undefined = read; request !== undefined; ) {
        const answer = await ask(url, tokens[by], request);
        exchanges.push({ by, request, answer });
        const { next_cursor: cursor } = answer.body;
        request = typeof cursor === 'string' ? { ...read, path: `${read.path}&cursor=${cursor}` } : undefined;
      }
  return exchanges;
}
