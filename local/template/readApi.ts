import type * as z from 'zod/mini';
import {
  authorizerSchema,
  gatewayResponseSchema,
  methodSchema,
  resourceSchema,
  restApiSchema,
  stageSchema,
} from './apiSchemas.ts';
import {
  type ApiDefinition,
  type AuthorizerDefinition,
  type FunctionDefinition,
  type GatewayResponseDefinition,
  type Header,
  type Route,
  requestIdVariable,
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
  const [{ StatusCode, ResponseParameters, ResponseTemplates, ContentHandling }] = integration.IntegrationResponses;
  const body = ResponseTemplates?.['application/json'];
  if (body !== undefined && (ContentHandling === undefined || /[$#]/.test(body)))
    throw unsupported(`the template of a mock response that has variables or is not converted to text: ${body}`);
  return {
    type: 'MOCK',
    status: Number(StatusCode),
    headers: readHeaders(ResponseParameters, 'method.response.header.'),
    body,
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

function readGatewayResponses(template: StackTemplate): Map<string, GatewayResponseDefinition> {
  const found = [...template.all('AWS::ApiGateway::GatewayResponse', gatewayResponseSchema).values()];
  return new Map(
    found.map(({ ResponseType, StatusCode, ResponseParameters, ResponseTemplates }) => [
      ResponseType,
      {
        status: StatusCode === undefined ? undefined : Number(StatusCode),
        headers: readHeaders(ResponseParameters, 'gatewayresponse.header.'),
        template: readTemplate(ResponseTemplates?.['application/json'], ResponseType),
      },
    ]),
  );
}

function readTemplate(template: string | undefined, type: string): string | undefined {
  // Variables and template language are not rendered here.
  if (template === undefined || !/[$#]/.test(template)) return template;
  throw unsupported(`the template of the gateway response ${type}: ${template}`);
}

function readHeaders(parameters: Readonly<Record<string, string>>, prefix: string): Header[] {
  return Object.entries(parameters).map(([key, value]) => {
    if (key.startsWith(prefix) && (/^'.*'$/.test(value) || value === requestIdVariable))
      return [key.slice(prefix.length), value];
    throw unsupported(`the response parameter ${key} with the value ${value}`);
  });
}
