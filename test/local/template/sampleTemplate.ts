interface SampleResource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
}

export type SampleResources = Readonly<Record<string, SampleResource>>;

const lambda = (timeout: number): SampleResource => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { S3Bucket: 'assets', S3Key: 'abc123.zip' },
    Handler: 'index.handler',
    Timeout: timeout,
    MemorySize: 256,
    Role: { 'Fn::GetAtt': ['role', 'Arn'] },
    Environment: { Variables: { TABLE: { Ref: 'table' }, MODE: 'plain' } },
  },
});

const invocation = (id: string) => ({
  'Fn::Join': [
    '',
    ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/', { 'Fn::GetAtt': [id, 'Arn'] }, '/invocations'],
  ],
});

const resource = (parent: unknown, part: string): SampleResource => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { ParentId: parent, PathPart: part, RestApiId: { Ref: 'api' } },
});

const method = (on: string, httpMethod: string, integration: object, authorizer?: string): SampleResource => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    HttpMethod: httpMethod,
    ResourceId: { Ref: on },
    RestApiId: { Ref: 'api' },
    Integration: integration,
    ...(authorizer === undefined
      ? { AuthorizationType: 'NONE' }
      : { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: authorizer } }),
  },
});

const proxy = (id: string, timeout?: number) => ({
  Type: 'AWS_PROXY',
  IntegrationHttpMethod: 'POST',
  Uri: invocation(id),
  ...(timeout === undefined ? {} : { TimeoutInMillis: timeout }),
});

const otherMethods = {
  Type: 'MOCK',
  ContentHandling: 'CONVERT_TO_TEXT',
  PassthroughBehavior: 'NEVER',
  RequestTemplates: { 'application/json': '{"statusCode":404}' },
  IntegrationResponses: [
    {
      StatusCode: '404',
      ContentHandling: 'CONVERT_TO_TEXT',
      ResponseParameters: { 'method.response.header.allow': "'GET'" },
      ResponseTemplates: { 'application/json': '{"type":"mock"}' },
    },
  ],
};

const authorizer = (seconds: number): SampleResource => ({
  Type: 'AWS::ApiGateway::Authorizer',
  Properties: {
    Type: 'REQUEST',
    AuthorizerUri: invocation('guard'),
    IdentitySource: 'method.request.header.Authorization',
    AuthorizerResultTtlInSeconds: seconds,
    Name: 'guard',
    RestApiId: { Ref: 'api' },
  },
});

/** A response whose body names its type. */
const named = (type: string, status: number): SampleResource => ({
  Type: 'AWS::ApiGateway::GatewayResponse',
  Properties: {
    ResponseType: type,
    RestApiId: { Ref: 'api' },
    StatusCode: String(status),
    ResponseTemplates: { 'application/json': JSON.stringify({ type }) },
  },
});

/**
 * A small API: `/open` without and `/things/{id}` with a caching authorizer, and `/fresh` with one that never caches.
 * `slow` is a function that may take 50 ms, `/late` a route that waits 50 ms.
 */
export const sampleResources = {
  table: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    },
  },
  role: { Type: 'AWS::IAM::Role', Properties: { AssumeRolePolicyDocument: {} } },
  policy: {
    Type: 'AWS::IAM::Policy',
    Properties: {
      PolicyName: 'policy',
      PolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: ['logs:PutLogEvents'], Resource: { 'Fn::GetAtt': ['log', 'Arn'] } },
          {
            Effect: 'Allow',
            Action: 'dynamodb:GetItem',
            Resource: { 'Fn::Join': ['', [{ 'Fn::GetAtt': ['table', 'Arn'] }, '/index/names']] },
            Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['A#*'] } },
          },
        ],
      },
      Roles: [{ Ref: 'role' }],
    },
  },
  guard: lambda(0.5),
  work: lambda(10),
  slow: lambda(0.05),
  api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'sample', BinaryMediaTypes: ['application/json'] } },
  stage: { Type: 'AWS::ApiGateway::Stage', Properties: { StageName: 'live', RestApiId: { Ref: 'api' } } },
  caching: authorizer(60),
  asking: authorizer(0),
  open: resource({ 'Fn::GetAtt': ['api', 'RootResourceId'] }, 'open'),
  things: resource({ 'Fn::GetAtt': ['api', 'RootResourceId'] }, 'things'),
  thing: resource({ Ref: 'things' }, '{id}'),
  special: resource({ Ref: 'things' }, 'special'),
  fresh: resource({ 'Fn::GetAtt': ['api', 'RootResourceId'] }, 'fresh'),
  slowly: resource({ 'Fn::GetAtt': ['api', 'RootResourceId'] }, 'slowly'),
  late: resource({ 'Fn::GetAtt': ['api', 'RootResourceId'] }, 'late'),
  postOpen: method('open', 'POST', proxy('work')),
  putThing: method('thing', 'PUT', proxy('work'), 'caching'),
  postThings: method('things', 'POST', proxy('work'), 'caching'),
  getSpecial: method('special', 'GET', proxy('work')),
  anySpecial: method('special', 'ANY', otherMethods),
  getFresh: method('fresh', 'GET', proxy('work'), 'asking'),
  getSlowly: method('slowly', 'GET', proxy('slow')),
  getLate: method('late', 'GET', proxy('work', 50)),
  mediaType: named('UNSUPPORTED_MEDIA_TYPE', 415),
  clientErrors: named('DEFAULT_4XX', 400),
  serverErrors: named('DEFAULT_5XX', 500),
  noRoute: named('MISSING_AUTHENTICATION_TOKEN', 404),
  unauthorized: named('UNAUTHORIZED', 401),
  denied: named('ACCESS_DENIED', 403),
  authorizerFailure: named('AUTHORIZER_FAILURE', 500),
  authorizerError: named('AUTHORIZER_CONFIGURATION_ERROR', 500),
  integrationFailure: named('INTEGRATION_FAILURE', 502),
  integrationTimeout: named('INTEGRATION_TIMEOUT', 504),
} as const satisfies SampleResources;

/** A template of these resources, as parsed JSON. */
export const sampleTemplate = (all: SampleResources): unknown => ({ Resources: all });
