import * as z from 'zod/mini';
import { fixedResponses, type GatewayResponseType, gatewayResponseTypes } from './gatewayResponses.ts';
import type { FunctionDefinition } from './readFunctions.ts';
import { type StackTemplate, unresolved, unsupported } from './stackTemplate.ts';

/*
 * The properties of API Gateway's resources that the local gateway implements, and (as `ignoring`) those that do not
 * affect requests here. Any other property is rejected, because a setting that works on AWS but not here would be
 * misleading.
 */

const ignored = z.optional(z.unknown());
const ignoring = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, ignored])) as Record<Name, typeof ignored>;
const texts = z._default(z.record(z.string(), z.string()), {});

const response = {
  StatusCode: z.string(),
  ResponseParameters: texts,
  ResponseTemplates: z.optional(z.strictObject({ 'application/json': z.string() })),
};
const responseSchema = z.object(response);

const restApiSchema = z.strictObject({
  BinaryMediaTypes: z._default(z.array(z.string()), []),
  DisableExecuteApiEndpoint: z.optional(z.literal(false)),
  MinimumCompressionSize: z.optional(z.number()),
  ...ignoring(
    'ApiKeySourceType',
    'Description',
    'EndpointAccessMode',
    'EndpointConfiguration',
    'Name',
    'SecurityPolicy',
    'Tags',
  ),
});

const resourceSchema = z.strictObject({
  ParentId: unresolved,
  // Greedy parameters such as {proxy+} are not supported.
  PathPart: z.string().check(z.regex(/^([^{}]+|\{\w+\})$/)),
  RestApiId: ignored,
});

const methodSchema = z.strictObject({
  HttpMethod: z.enum(['ANY', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']),
  ResourceId: unresolved,
  AuthorizationType: z.enum(['NONE', 'CUSTOM']),
  AuthorizerId: z.optional(unresolved),
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
  ...ignoring('ApiKeyRequired', 'MethodResponses', 'OperationName', 'RestApiId'),
});

const authorizerSchema = z.strictObject({
  Type: z.literal('REQUEST'),
  AuthorizerUri: unresolved,
  IdentitySource: z.string().check(z.regex(/^method\.request\.header\.[\w-]+$/)),
  // API Gateway's default.
  AuthorizerResultTtlInSeconds: z._default(z.number(), 300),
  ...ignoring('Name', 'RestApiId'),
});

const gatewayResponseSchema = z.strictObject({
  ResponseType: z.string(),
  ...response,
  RestApiId: ignored,
});

const stageSchema = z.strictObject({
  StageName: z.string(),
  MethodSettings: z._default(
    z.array(
      z.strictObject({
        // The stage's limits protect an AWS account, and those of keys share it. Here they would only get in the way of
        // tests that send many requests at once.
        ...ignoring('ThrottlingBurstLimit', 'ThrottlingRateLimit'),
        ...ignoring('DataTraceEnabled', 'HttpMethod', 'LoggingLevel', 'MetricsEnabled', 'ResourcePath'),
        CachingEnabled: z.optional(z.literal(false)),
      }),
    ),
    [],
  ),
  ...ignoring('AccessLogSetting', 'DeploymentId', 'Description', 'RestApiId', 'Tags'),
});

export type Header = readonly [name: string, value: string];

/** A response without a function. Values of headers are quoted texts, or `context.requestId`. */
export interface StaticResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
}

type Functions = readonly FunctionDefinition[];

export type ApiDefinition = ReturnType<typeof readApi>;

/** Reads a template's only REST API. @throws CommandError that names the unsupported feature */
export function readApi(template: StackTemplate, functions: Functions) {
  const { id, properties } = template.only('AWS::ApiGateway::RestApi', restApiSchema);
  return {
    id,
    region: template.region,
    accountId: template.accountId,
    stage: template.only('AWS::ApiGateway::Stage', stageSchema).properties.StageName,
    binaryMediaTypes: properties.BinaryMediaTypes,
    /** In bytes. Undefined means that responses are not compressed. */
    minimumCompressionSize: properties.MinimumCompressionSize,
    routes: readRoutes(template, functions),
    gatewayResponses: readGatewayResponses(template),
  };
}

export type Route = ReturnType<typeof readRoutes>[number];

function readRoutes(template: StackTemplate, functions: Functions) {
  const resources = template.all('AWS::ApiGateway::Resource', resourceSchema);
  const authorizers = readAuthorizers(template, functions);
  const pathOf = (id: string): string => {
    const found = resources.get(id);
    // The parent of the first segment is the API's root, which is not a resource in the template.
    return found === undefined ? '' : `${pathOf(template.resolve(found.ParentId))}/${found.PathPart}`;
  };
  return [...template.all('AWS::ApiGateway::Method', methodSchema).values()].map((method) => {
    const resourceId = template.resolve(method.ResourceId);
    return {
      /** `ANY` matches all methods that the resource does not define. */
      method: method.HttpMethod,
      /** The path with its parameters, for example `/items/{id}`. */
      resource: pathOf(resourceId) || '/',
      resourceId,
      authorizer:
        method.AuthorizationType === 'NONE' ? undefined : authorizers.get(template.resolve(method.AuthorizerId)),
      integration: readIntegration(template, functions, method.Integration),
    };
  });
}

/** A proxy integration, or a response without a function, such as the one to a preflight request. */
export type Integration<Type> = Extract<Route['integration'], { readonly type: Type }>;

function readIntegration(
  template: StackTemplate,
  functions: Functions,
  integration: z.infer<typeof methodSchema>['Integration'],
) {
  if (integration.Type === 'AWS_PROXY') {
    const target = template.invokedFunction(integration.Uri, functions);
    return { type: integration.Type, function: target, timeoutMs: integration.TimeoutInMillis };
  }
  const [properties] = integration.IntegrationResponses;
  const response = readResponse(properties, 'method.response.header.', 'mock response');
  if (response.body !== '' && properties.ContentHandling === undefined)
    throw unsupported(`a mock response that is not converted to text: ${response.body}`);
  /** The media types of requests that it accepts. Undefined means any. */
  const mediaTypes = integration.PassthroughBehavior && Object.keys(integration.RequestTemplates);
  return { type: integration.Type, ...response, mediaTypes };
}

export type AuthorizerDefinition = NonNullable<Route['authorizer']>;

function readAuthorizers(template: StackTemplate, functions: Functions) {
  const found = [...template.all('AWS::ApiGateway::Authorizer', authorizerSchema)].map(([id, properties]) => {
    const definition = {
      function: template.invokedFunction(properties.AuthorizerUri, functions),
      /** Identifies a caller. If it is missing or empty, the request is rejected without invoking the function. */
      identityHeader: properties.IdentitySource.replace('method.request.header.', '').toLowerCase(),
      /** How long a result is cached for the same identity. 0 means not at all. */
      cacheSeconds: properties.AuthorizerResultTtlInSeconds,
    };
    return [id, definition] as const;
  });
  return new Map(found);
}

function readGatewayResponses(template: StackTemplate): Readonly<Record<GatewayResponseType, StaticResponse>> {
  const found = [...template.all('AWS::ApiGateway::GatewayResponse', gatewayResponseSchema).values()];
  const responses = gatewayResponseTypes.map((type) => {
    const properties = found.find(({ ResponseType }) => ResponseType === type);
    if (properties === undefined) throw unsupported(`an API without a gateway response ${type}`);
    return [type, readResponse(properties, 'gatewayresponse.header.', `gateway response ${type}`)];
  });
  return { ...Object.fromEntries(responses), ...fixedResponses };
}

/** @param prefix what precedes the name of a header */
function readResponse(
  { StatusCode, ResponseParameters, ResponseTemplates }: z.infer<typeof responseSchema>,
  prefix: string,
  kind: string,
): StaticResponse {
  const body = ResponseTemplates?.['application/json'] ?? '';
  // Variables and template language are not rendered here.
  if (/[$#]/.test(body)) throw unsupported(`the template of the ${kind}: ${body}`);
  const type: Header[] = body === '' ? [] : [['content-type', "'application/json'"]];
  const headers = Object.entries(ResponseParameters).map(([key, value]): Header => {
    if (key.startsWith(prefix) && (/^'.*'$/.test(value) || value === 'context.requestId'))
      return [key.slice(prefix.length), value];
    throw unsupported(`the response parameter ${key} with the value ${value}`);
  });
  return { status: Number(StatusCode), headers: [...type, ...headers], body };
}
