/**
 * The properties of API Gateway's resources that the local gateway implements, and (as `ignoring`) those that do not
 * affect requests here. Any other property is rejected, because a setting that works on AWS but not here would be
 * misleading.
 */
import * as z from 'zod/mini';
import { unresolved } from './stackTemplate.ts';

const ignored = z.optional(z.unknown());
const ignoring = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, ignored])) as Record<Name, typeof ignored>;
const texts = z._default(z.record(z.string(), z.string()), {});

const response = {
  StatusCode: z.string(),
  ResponseParameters: texts,
  ResponseTemplates: z.optional(z.strictObject({ 'application/json': z.string() })),
};
export const responseSchema = z.object(response);

export const restApiSchema = z.strictObject({
  BinaryMediaTypes: z._default(z.array(z.string()), []),
  DisableExecuteApiEndpoint: z.optional(z.literal(false)),
  MinimumCompressionSize: z.optional(z.number()),
  ...ignoring('Description', 'EndpointAccessMode', 'EndpointConfiguration', 'Name', 'SecurityPolicy', 'Tags'),
});

export const resourceSchema = z.strictObject({
  ParentId: unresolved,
  // Greedy parameters such as {proxy+} are not supported.
  PathPart: z.string().check(z.regex(/^([^{}]+|\{\w+\})$/)),
  RestApiId: ignored,
});

export const methodSchema = z.strictObject({
  HttpMethod: z.enum(['ANY', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']),
  ResourceId: unresolved,
  AuthorizationType: z.enum(['NONE', 'CUSTOM']),
  AuthorizerId: z.optional(unresolved),
  ApiKeyRequired: z.optional(z.literal(false)),
  Integration: z.discriminatedUnion('Type', [
    z.strictObject({
      Type: z.literal('AWS_PROXY'),
      Uri: unresolved,
      IntegrationHttpMethod: z.literal('POST'),
      // API Gateway's default.
      TimeoutInMillis: z._default(z.number(), 29_000),
    }),
    z.strictObject({
      Type: z.literal('MOCK'),
      IntegrationResponses: z.tuple([
        z.strictObject({
          ...response,
          ContentHandling: z.optional(z.literal('CONVERT_TO_TEXT')),
        }),
      ]),
      ContentHandling: z.optional(z.literal('CONVERT_TO_TEXT')),
      PassthroughBehavior: z.optional(z.literal('NEVER')),
      RequestTemplates: texts,
    }),
  ]),
  ...ignoring('MethodResponses', 'OperationName', 'RestApiId'),
});

export const authorizerSchema = z.strictObject({
  Type: z.literal('REQUEST'),
  AuthorizerUri: unresolved,
  IdentitySource: z.string().check(z.regex(/^method\.request\.header\.[\w-]+$/)),
  // API Gateway's default.
  AuthorizerResultTtlInSeconds: z._default(z.number(), 300),
  ...ignoring('Name', 'RestApiId'),
});

export const gatewayResponseSchema = z.strictObject({
  ResponseType: z.string(),
  ...response,
  RestApiId: ignored,
});

export const stageSchema = z.strictObject({
  StageName: z.string(),
  MethodSettings: z._default(
    z.array(
      z.strictObject({
        // The stage's limits protect an AWS account. Here they would only get in the way of tests that send many
        // requests at once.
        ...ignoring('ThrottlingBurstLimit', 'ThrottlingRateLimit'),
        ...ignoring('DataTraceEnabled', 'HttpMethod', 'LoggingLevel', 'MetricsEnabled', 'ResourcePath'),
        CachingEnabled: z.optional(z.literal(false)),
      }),
    ),
    [],
  ),
  ...ignoring('AccessLogSetting', 'DeploymentId', 'Description', 'RestApiId', 'Tags'),
});
