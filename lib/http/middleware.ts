import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';

/** A middleware that reads a part of a request, and passes it on in Lambda's context, as is usual with middy. */
export type Reads<Members> = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, Context & Members>;

/** @param read any error that it throws becomes an error response */
export const reads = <Members extends object>(
  read: (event: APIGatewayProxyEvent, context: Context) => Members,
): Reads<Members> => ({
  before: ({ event, context }) => void Object.assign(context, read(event, context)),
});
