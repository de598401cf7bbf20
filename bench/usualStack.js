/** A function as many tutorials build it: middleware, logger, metrics, traces, a schema and the document client. */

import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { logMetrics } from '@aws-lambda-powertools/metrics/middleware';
import { Tracer } from '@aws-lambda-powertools/tracer';
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import middy from '@middy/core';
import httpErrorHandler from '@middy/http-error-handler';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import { z } from 'zod';

const logger = new Logger({ serviceName: 'catalog' });
const metrics = new Metrics({ namespace: 'Catalog', serviceName: 'catalog' });
// Traces need the segment that Lambda opens. Without them it only has less to do.
const tracer = new Tracer({ serviceName: 'catalog', enabled: false });
const client = DynamoDBDocumentClient.from(tracer.captureAWSv3Client(new DynamoDBClient()));
const body = z.object({ name: z.string().min(1).max(150), value: z.number().min(0) });

export const handler = middy()
  .use(injectLambdaContext(logger))
  .use(logMetrics(metrics))
  .use(captureLambdaHandler(tracer))
  .use(httpJsonBodyParser())
  .use(httpErrorHandler())
  .handler(async (event) => {
    const item = { pk: 'ITEMS', sk: crypto.randomUUID(), ...body.parse(event.body) };
    await client.send(new PutCommand({ TableName: process.env.CATALOG_TABLE, Item: item }));
    metrics.addMetric('created', MetricUnit.Count, 1);
    logger.info('created', { id: item.sk });
    return { statusCode: 201, body: JSON.stringify({ data: item }) };
  });
