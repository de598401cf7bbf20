import type * as z from 'zod/mini';
import {
  authorizerSchema,
  gatewayResponseSchema,
  methodSchema,
  resourceSchema,
  type responseSchema,
  restApiSchema,
  stageSchema,
} from './apiSchemas.ts';
import {
  type ApiDefinition,
  type AuthorizerDefinition,
  type FunctionDefinition,
  type Header,
  type Route,
  requestIdVariable,
  type StaticResponse,
} from './deployment.ts';
import { type StackTemplate, unsupported } from './stackTemplate.ts';

/** Reads a template's only REST API. @throws CommandError that names the unsupported feature */
export function readApi(template: StackTemplate, functions: readonly FunctionDefinition[]): ApiDefinition {
  const api = template.only('AWS::ApiGateway::RestApi', restApiSchema);
  const { StageName } = template.only('AWS::ApiGateway::Stage', stageSchema).properties;
  return {
    id: api.id,
    region: template.region,
    accountId: template.accountId,
    stage: StageName,
    binaryMediaTypes: api.properties.BinaryMediaTypes,
    minimumCompressionSize: api.properties.MinimumCompressionSize,
    routes: readRoutes(template, functions),
    gatewayResponses: readGatewayResponses(template),
  };
}

function readRoutes(template: StackTemplate, functions: readonly FunctionDefinition[]): Route[] {
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
      method: method.HttpMethod,
      resource: pathOf(resourceId) || '/',
      resourceId,
      authorizer:
        method.AuthorizationType === 'NONE' ? undefined : authorizers.get(template.resolve(method.AuthorizerId)),
      integration: readIntegration(template, functions, method.Integration),
    };
  });
}

function readIntegration(
  template: StackTemplate,
  functions: readonly FunctionDefinition[],
  integration: z.infer<typeof methodSchema>['Integration'],
): Route['integration'] {
  if (integration.Type === 'AWS_PROXY') {
    const target = template.invokedFunction(integration.Uri, functions);
    return { type: 'AWS_PROXY', function: target, timeoutMs: integration.TimeoutInMillis };
  }
  const [properties] = integration.IntegrationResponses;
  const response = readResponse(properties, 'method.response.header.', 'mock response');
  if (response.body !== undefined && properties.ContentHandling === undefined)
    throw unsupported(`a mock response that is not converted to text: ${response.body}`);
  return {
    type: 'MOCK',
    ...response,
    mediaTypes: integration.PassthroughBehavior && Object.keys(integration.RequestTemplates),
  };
}

function readAuthorizers(
  template: StackTemplate,
  functions: readonly FunctionDefinition[],
): Map<string, AuthorizerDefinition> {
  const found = [...template.all('AWS::ApiGateway::Authorizer', authorizerSchema)];
  return new Map(
    found.map(([id, properties]) => [
      id,
      {
        id,
        function: template.invokedFunction(properties.AuthorizerUri, functions),
        identityHeaders: properties.IdentitySource.split(',').map(identityHeader),
        cacheSeconds: properties.AuthorizerResultTtlInSeconds,
      },
    ]),
  );
}

function identityHeader(source: string): string {
  const name = /^method\.request\.header\.([\w-]+)$/.exec(source.trim())?.[1];
  if (name === undefined) throw unsupported(`${source} as an identity source`);
  return name.toLowerCase();
}

function readGatewayResponses(template: StackTemplate): Map<string, StaticResponse> {
  const found = [...template.all('AWS::ApiGateway::GatewayResponse', gatewayResponseSchema).values()];
  const read = (properties: (typeof found)[number]) =>
    readResponse(properties, 'gatewayresponse.header.', `gateway response ${properties.ResponseType}`);
  return new Map(found.map((properties) => [properties.ResponseType, read(properties)]));
}

/** @param prefix what precedes the name of a header */
function readResponse(
  { StatusCode, ResponseParameters, ResponseTemplates }: z.infer<typeof responseSchema>,
  prefix: string,
  kind: string,
): StaticResponse {
  const status = StatusCode === undefined ? undefined : Number(StatusCode);
  const body = ResponseTemplates?.['application/json'];
  // Variables and template language are not rendered here.
  if (body !== undefined && /[$#]/.test(body)) throw unsupported(`the template of the ${kind}: ${body}`);
  return { status, headers: readHeaders(ResponseParameters, prefix), body };
}

function readHeaders(parameters: Readonly<Record<string, string>>, prefix: string): Header[] {
  return Object.entries(parameters).map(([key, value]) => {
    if (key.startsWith(prefix) && (/^'.*'$/.test(value) || value === requestIdVariable))
      return [key.slice(prefix.length), value];
    throw unsupported(`the response parameter ${key} with the value ${value}`);
  });
}
