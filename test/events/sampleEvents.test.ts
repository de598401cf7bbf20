import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenStore } from '../../lib/catalog/catalogReader.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { authorizerHandler } from '../../lib/http/authorizerHandler.ts';
import { configureCatalogHandler } from '../../lib/http/configureCatalogHandler.ts';
import { createItemHandler } from '../../lib/http/createItemHandler.ts';
import { getCatalogHandler } from '../../lib/http/getCatalogHandler.ts';
import { getItemHandler } from '../../lib/http/getItemHandler.ts';
import { listChangesHandler } from '../../lib/http/listChangesHandler.ts';
import { listItemsHandler } from '../../lib/http/listItemsHandler.ts';
import type { Operation, OperationFunction } from '../../lib/http/operations.ts';
import { functionServing, itemPath, operations } from '../../lib/http/operations.ts';
import { updateItemHandler } from '../../lib/http/updateItemHandler.ts';
import { applyAccountHandler } from '../../lib/operator/accountDocument/applyAccountHandler.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import { dynamoCatalogConfigurator } from '../../lib/store/catalog/dynamoCatalogConfigurator.ts';
import { dynamoChangeReader } from '../../lib/store/catalog/dynamoChangeReader.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import { createTables } from '../support/changeStream.ts';
import { lambdaContext } from '../support/proxyEvent.ts';
import type { TestTable } from '../support/testTable.ts';
import { newContainer, newReader, openTestAccount } from '../support/testTable.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'));

const functions = new Set((Object.keys(operations) as Operation[]).map(functionServing));
const events = Object.fromEntries([...functions].map((name) => [name, read(name)])) as Record<
  OperationFunction,
  APIGatewayProxyEvent
>;
const { createItem: create, updateItem: update } = events;
const authorizer: APIGatewayRequestAuthorizerEvent = read('authorizer');

const withToken = <Event>(event: Event, token: string): Event =>
  JSON.parse(JSON.stringify(event).replaceAll('<ACCESS_TOKEN>', token));

const bodyOf = ({ body }: APIGatewayProxyEvent) => JSON.parse(Buffer.from(body ?? '', 'base64').toString());

describe('the sample events', () => {
  let table: TestTable;
  const dependencies = <Store>(openStore: OpenStore<Store>) => ({
    openStore,
    now: Date.now,
    newWriteId: randomUUID,
    observe: () => undefined,
    corsOrigins: ['*'],
  });

  beforeAll(async () => {
    ({ table } = await createTables());
    await openTestAccount(table, 'demo-1');
  });

  it('open an account, and find nothing to change the second time', async () => {
    const handler = applyAccountHandler({ database: table.database, log: () => undefined });
    const applied = await handler(read('applyAccount'), lambdaContext());
    expect(applied).toMatchObject({ account: 'acme', changes: [{ change: 'open account' }, ...Array(4).fill({})] });
    expect(await handler(read('applyAccount'), lambdaContext())).toMatchObject({ account: 'acme', changes: [] });
    const wrong = { account: 'acme', units: [{ unit: 'kg', decimals: 2 }] };
    expect(await handler(wrong, lambdaContext())).toEqual({
      error: {
        code: 'IMPOSSIBLE_CHANGE',
        message: 'The document cannot be applied: /units/0/decimals cannot be changed: the unit kg has 3.',
        fields: [{ field: 'units', path: '/units/0/decimals', reason: 'cannot be changed: the unit kg has 3' }],
      },
    });
  });

  it('create the first item of a new account, update it, and read it in every way', async () => {
    const created = await createItemHandler(dependencies(newContainer(table)))(create, lambdaContext());
    expect(created).toMatchObject({ statusCode: 201, headers: { location: `/live${itemPath(1)}` } });
    expect(JSON.parse(created.body).data).toMatchObject({ id: 1, ...bodyOf(create) });

    const updated = await updateItemHandler(dependencies(newContainer(table)))(update, lambdaContext());
    expect(updated.statusCode).toBe(200);
    expect(JSON.parse(updated.body).data).toMatchObject({ id: 1, name: bodyOf(create).name, ...bodyOf(update) });

    const reader = dependencies(newReader(table));
    const [read, listed, catalog] = await Promise.all([
      getItemHandler(reader)(events.getItem, lambdaContext()),
      listItemsHandler(reader)(events.listItems, lambdaContext()),
      getCatalogHandler(reader)(events.getCatalog, lambdaContext()),
    ]);
    expect(read).toMatchObject({ statusCode: 200, body: updated.body });
    expect(listed.statusCode).toBe(200);
    expect(JSON.parse(listed.body)).toEqual({ data: [JSON.parse(updated.body).data], next_cursor: null });
    const lister = dependencies(dynamoChangeReader(table.database));
    expect(await listChangesHandler(lister)(events.listChanges, lambdaContext())).toMatchObject({ statusCode: 200 });
    expect(catalog.statusCode).toBe(200);
    expect(JSON.parse(catalog.body).data).toMatchObject({ categories: [{ id: 1, name: 'General' }, { id: 2 }] });

    const configurator = dependencies(dynamoCatalogConfigurator(table.database));
    const added = await configureCatalogHandler(configurator)(events.configureCatalog, lambdaContext());
    expect(added.statusCode).toBe(201);
    expect(JSON.parse(added.body).data).toEqual({ id: 3, ...bodyOf(events.configureCatalog), archived: false });
  });

  it('contain the context that the authorizer would return for the token', async () => {
    const { account, user, permissions, expiresAt } = create.requestContext.authorizer ?? {};
    const caller = { account, user, permissions: permissions.split(' '), expiresAt: Number(expiresAt) };
    const { token } = await issueToken(table.database.for(timedContext(Date.now() + 8_000)), caller, Date.now());
    const handler = authorizerHandler({
      tokens: { find: (work, text) => findToken(table.database.for(work), text) },
      now: Date.now,
      observe: () => undefined,
    });
    const answer = await handler(withToken(authorizer, token), lambdaContext());
    expect(create.requestContext.authorizer).toMatchObject({ principalId: answer.principalId, ...answer.context });
    for (const event of Object.values(events))
      expect(event.requestContext.authorizer).toEqual(create.requestContext.authorizer);
    await expect(handler(authorizer, lambdaContext())).rejects.toEqual(new Error('Unauthorized'));
  });

  it.each([
    ...Object.entries(events).map(([name, event]) => {
      const route = name === 'configureCatalog' ? operations.createCategory : operations[name as Operation];
      return [name, event, route] as const;
    }),
    ['authorizer', authorizer, operations.createItem] as const,
  ])('%s matches a route, and contains no token', (_name, event, { method, path: resource }) => {
    const path = resource.replace('{id}', '1');
    expect(event).toMatchObject({ httpMethod: method, resource, path, requestContext: { path: `/live${path}` } });
    expect(event.headers?.['Authorization']).toBe('Bearer <ACCESS_TOKEN>');
    expect(event.multiValueHeaders?.['Authorization']).toEqual(['Bearer <ACCESS_TOKEN>']);
  });
});
