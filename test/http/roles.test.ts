import { expect, inject, it, vi } from 'vitest';
import type { statementsFor } from '../../local/functions/role.ts';
import { readDeployment } from '../../local/template/readDeployment.ts';
import * as requests from '../support/api/apiRequests.ts';
import { startTestApi, type TestApi } from '../support/api/testApi.ts';

/** What functions have used of their rights. */
const used = new Set<string>();
const nameOf = (id: string, action: string, { Resource, Condition = {} }: ReturnType<typeof statementsFor>[number]) =>
  `${id} ${action} ${Resource.replace(/^http-.{36}/, 'table')} ${JSON.stringify(Condition)}`;

vi.mock('../../local/functions/role.ts', async (load) => {
  const original = await load<typeof import('../../local/functions/role.ts')>();
  const refusalOf: typeof original.refusalOf = (definition, call) => {
    for (const statement of original.statementsFor(definition.tableStatements, call))
      used.add(nameOf(definition.id, call.action, statement));
    return original.refusalOf(definition, call);
  };
  return { ...original, refusalOf };
});

const api = await startTestApi({ recordsChanges: true });

const send = async (request: Parameters<TestApi['send']>[0]) => JSON.parse((await api.send(request)).text);

it('four callers who change the sku of one item at once get 200, or 503 if there is no time', async () => {
  const { data: item } = await send(requests.create({ name: 'Contended', sku: 'S-0' }));
  const writer = async (number: number) => {
    const statuses: number[] = [];
    for (let round = 0; round < 4; round += 1)
      statuses.push((await api.send(requests.update(item.id, { sku: `S-${number}-${round}` }))).status);
    return statuses;
  };
  const statuses = await Promise.all(Array.from({ length: 4 }, (_, number) => writer(number)));
  expect(new Set(statuses.flat().filter((status) => status !== 503))).toEqual(new Set([200]));
});

it('every right that a role grants is used by a request', async () => {
  const { next_cursor: start } = await send(requests.listChanges());
  const key = { 'idempotency-key': 'u' };
  const { data: item } = await send(requests.create({ name: 'Used', sku: 'U', pn: 'U' }, key));
  await send(requests.create({ name: 'Used', category: 999 }, key));
  const { data: other } = await send(requests.create({ name: 'Other' }));
  for (const request of [requests.get(item.id), requests.getCatalog(), requests.listItemChanges(item.id)])
    await send(request);
  for (const query of ['search=u', 'sku=U', 'pn=U', `ids=${item.id},${other.id}`]) await send(requests.list(query));
  for (const match of ['sku', 'pn']) {
    const rows = [{ [match]: item[match] }, { name: 'New' }, { id: other.id, sku: match }];
    await send(requests.writeBatch({ match, rows }, { 'idempotency-key': match }));
  }
  const isRecorded = async () => JSON.stringify(await send(requests.listChanges(`?cursor=${start}`))).includes('Other');
  await vi.waitUntil(isRecorded, { timeout: 60_000, interval: 200 });
  const asAdmin = requests.bearer(api.tokens.admin);
  const { data: category } = await send(requests.configure('createCategory', { name: 'Used' }, asAdmin));
  await send(requests.configure('updateDefaults', { category: category.id }, asAdmin));
  await send(requests.configure('updateCategory', { name: 'Used again' }, asAdmin, category.id));
  const { handler: apply } = await import('../../functions/operators/applyAccount.ts');
  await apply({ account: 'demo-2' }, { awsRequestId: 'r', getRemainingTimeInMillis: () => 10_000 });

  const { functions } = readDeployment(inject('template'), 'table');
  const granted = functions.flatMap(({ id, tableStatements }) =>
    tableStatements
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap((statement) => statement.Action.map((action) => nameOf(id, action, statement))),
  );
  expect(granted.filter((right) => !used.has(right))).toEqual([]);
});
