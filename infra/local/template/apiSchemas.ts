/**
 * The properties of API Gateway's resources that the local gateway honours, and as `unnoticed` those that no request can
 * tell. Any other property is refused: a rule that works once deployed but is silently missing here would mislead.
 */
import * as z from 'zod/mini';
import { reference } from './stackTemplate.ts';

/** Of a property that no request can tell. */
const unnoticed = z.optional(z.unknown());
const texts = z._default(z.record(z.string(), z.string()), {});

export const restApiSchema = z.strictObject({
  BinaryMediaTypes: z._default(z.array(z.string()), []),
  Description: unnoticed,
  DisableExecuteApiEndpoint: z.optional(z.literal(false)),
  EndpointAccessMode: unnoticed,
  EndpointConfiguration: unnoticed,
  Name: unnoticed,
  SecurityPolicy: unnoticed,
  Tags: unnoticed,
});

export const resourceSchema = z.strictObject({
  ParentId: reference,
  // Greedy parameters, as {proxy+}, are not supported.
  PathPart: z.string().check(z.regex(/^([^{}]+|\{\w+\})$/)),
  RestApiId: unnoticed,
});

export const methodSchema = z.strictObject({
  HttpMethod: z.enum(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']),
  ResourceId: reference,
  AuthorizationType: z.enum(['NONE', 'CUSTOM']),
  AuthorizerId: z.optional(reference),
  ApiKeyRequired: z.optional(z.literal(false)),
  Integration: z.discriminatedUnion('Type', [
    z.strictObject({
      Type: z.literal('AWS_PROXY'),
      Uri: reference,
      IntegrationHttpMethod: z.literal('POST'),
      TimeoutInMillis: z._default(z.number(), 29_000),
    }),
    z.strictObject({
      Type: z.literal('MOCK'),
      IntegrationResponses: z.tuple([z.strictObject({ StatusCode: z.string(), ResponseParameters: texts })]),
      ContentHandling: z.optional(z.literal('CONVERT_TO_TEXT')),
      RequestTemplates: unnoticed,
    }),
  ]),
  MethodResponses: unnoticed,
  OperationName: unnoticed,
  RestApiId: unnoticed,
});

export const authorizerSchema = z.strictObject({
  Type: z.enum(['REQUEST', 'TOKEN']),
  AuthorizerUri: reference,
  IdentitySource: z.string(),
  AuthorizerResultTtlInSeconds: z._default(z.number(), 300),
  Name: unnoticed,
  RestApiId: unnoticed,
});

export const gatewayResponseSchema = z.strictObject({
  ResponseType: z.string(),
  StatusCode: z.optional(z.string()),
  ResponseParameters: texts,
  ResponseTemplates: z.optional(z.strictObject({ 'application/json': z.string() })),
  RestApiId: unnoticed,
});

export const stageSchema = z.strictObject({
  StageName: z.string(),
  MethodSettings: z._default(
    z.array(
      z.strictObject({
        HttpMethod: z.literal('*'),
        ResourcePath: z.literal('/*'),
        ThrottlingBurstLimit: z.optional(z.number()),
        ThrottlingRateLimit: z.optional(z.number()),
        CachingEnabled: z.optional(z.literal(false)),
        DataTraceEnabled: unnoticed,
        LoggingLevel: unnoticed,
        MetricsEnabled: unnoticed,
      }),
    ),
    [],
  ),
  AccessLogSetting: unnoticed,
  DeploymentId: unnoticed,
  Description: unnoticed,
  RestApiId: unnoticed,
  Tags: unnoticed,
  TracingEnabled: unnoticed,
});
