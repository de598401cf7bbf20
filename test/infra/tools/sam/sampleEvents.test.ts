import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { localEvent } from '../../../../infra/tools/sam/samInvocation.ts';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { authorizerHandler } from '../../../../lib/http/authorizerHandler.ts';
import { createItemHandler } from '../../../../lib/http/createItemHandler.ts';
import { itemPath, routes } from '../../../../lib/http/routes.ts';
import { updateItemHandler } from '../../../../lib/http/updateItemHandler.ts';
import { issueToken } from '../../../../lib/operator/tokens.ts';
import { findToken } from '../../../../lib/store/catalog/findToken.ts';
import { lambdaContext } from '../../../support/proxyEvent.ts';
import type { TestTable } from '../../../support/testTable.ts';
import { createTestTable, newContainer, openTestAccount } from '../../../support/testTable.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../events/${name}.json`, import.meta.url), 'utf8'));

const create: APIGatewayProxyEvent = read('createItem');
const update: APIGatewayProxyEvent = read('updateItem');
const authorizer: APIGatewayRequestAuthorizerEvent = read('authorizer');

const bodyOf = ({ body }: APIGatewayProxyEvent) => JSON.parse(Buffer.from(body ?? '', 'base64').toString());

describe('the sample events', () => {
  let table: TestTable;
  const dependencies = () => ({
    store: newContainer(table),
    now: Date.now,
    newWriteId: randomUUID,
    observe: () => undefined,
    corsOrigins: ['*'],
  });

  beforeAll(async () => {
    table = await createTestTable();
    await openTestAccount(table, 'demo-1');
  });

  it('create the first item of a new account and update it', async () => {
    const created = await createItemHandler(dependencies())(create, lambdaContext());
    expect(created).toMatchObject({ statusCode: 201, headers: { location: `/live${itemPath(1)}` } });
    expect(JSON.parse(created.body).data).toMatchObject({ id: 1, ...bodyOf(create) });

    const updated = await updateItemHandler(dependencies())(update, lambdaContext());
    expect(updated.statusCode).toBe(200);
    expect(JSON.parse(updated.body).data).toMatchObject({ id: 1, name: bodyOf(create).name, ...bodyOf(update) });
  });

  it('contain the context that the authorizer returns for the token', async () => {
    const { account, user, permissions, expiresAt } = create.requestContext.authorizer ?? {};
    const caller = { account, user, permissions: permissions.split(' '), expiresAt: Number(expiresAt) };
    const { token } = await issueToken(table.database, timedContext(Date.now() + 8_000), caller, Date.now());
    const handler = authorizerHandler({
      tokens: { find: (work, text) => findToken(table.database, work, text) },
      now: Date.now,
      observe: () => undefined,
    });
    const answer = await handler(localEvent(authorizer, token), lambdaContext());
    expect(create.requestContext.authorizer).toMatchObject({ principalId: answer.principalId, ...answer.context });
    expect(update.requestContext.authorizer).toEqual(create.requestContext.authorizer);
    await expect(handler(authorizer, lambdaContext())).rejects.toEqual(new Error('Unauthorized'));
  });

  it.each([
    ['createItem', create, routes.createItem.path],
    ['updateItem', update, itemPath(1)],
    ['authorizer', authorizer, routes.createItem.path],
  ] as const)('%s matches a route, and contains no token', (_name, event, path) => {
    const route = Object.values(routes).find(({ method }) => method === event.httpMethod);
    expect(event).toMatchObject({ resource: route?.path, path, requestContext: { path: `/live${path}` } });
    expect(event.headers?.['Authorization']).toBe('Bearer <ACCESS_TOKEN>');
    expect(event.multiValueHeaders?.['Authorization']).toEqual(['Bearer <ACCESS_TOKEN>']);
  });
});
