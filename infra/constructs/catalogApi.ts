import {
  AuthorizationType,
  type CfnMethod,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  IdentitySource,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { allowedHeaders } from '../../lib/http/cors.ts';
import { commonHeaders } from '../../lib/http/headers.ts';
import { type Operation, routes } from '../../lib/http/routes.ts';
import type { Settings } from '../environments.ts';
import { accessLogFormat } from './accessLogFormat.ts';
import type { CatalogFunction, CatalogFunctions } from './catalogFunction.ts';
import { addGatewayResponses, quoted, requestIdHeader } from './gatewayResponses.ts';
import { RetainedLogs } from './retainedLogs.ts';

interface CatalogApiProps {
  readonly settings: Settings;
  readonly functions: CatalogFunctions;
}

/** The REST API: its routes, the authorizer before each of them, CORS, and the responses that the gateway gives by itself. */
export class CatalogApi extends RestApi {
  constructor(scope: Construct, id: string, { settings, functions }: CatalogApiProps) {
    const accessLogs = new RetainedLogs(scope, `${id}Logs`, settings);
    super(scope, id, {
      // Metrics know an API by its name, so it tells environments in one account apart.
      restApiName: Stack.of(scope).stackName,
      endpointTypes: [EndpointType.REGIONAL],
      // Bodies then reach the handler as base64, byte for byte; as text, invalid UTF-8 would be replaced silently.
      binaryMediaTypes: ['application/json'],
      // Beside a domain of its own, the address that API Gateway gives would be a way past it.
      disableExecuteApiEndpoint: settings.customDomain !== undefined,
      // Access logs need this setting of account and region. It is retained: another environment may write logs by it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: 'live',
        throttlingRateLimit: settings.throttling.rate,
        throttlingBurstLimit: settings.throttling.burst,
        tracingEnabled: true,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat,
      },
    });
    // The stack has an output for the address, under a name that tools can know.
    this.node.tryRemoveChild('Endpoint');
    const api = this.node.defaultChild as CfnRestApi;
    api.securityPolicy = SecurityPolicy.TLS13_1_2_PQ_2025_09;
    api.endpointAccessMode = EndpointAccessMode.STRICT;
    this.#addRoutes(functions, settings);
    addGatewayResponses(this);
    this.#acknowledge(settings);
  }

  #addRoutes(functions: CatalogFunctions, settings: Settings): void {
    const authorizer = new RequestAuthorizer(this, 'authorizer', {
      handler: functions.authorizer,
      identitySources: [IdentitySource.header('Authorization')],
      resultsCacheTtl: Duration.seconds(60),
    });
    for (const [operation, { method, path }] of Object.entries(routes)) {
      const resource = this.root.resourceForPath(path);
      resource.addMethod(method, integrationOf(functions[operation as Operation]), {
        authorizer,
        authorizationType: AuthorizationType.CUSTOM,
      });
      addPreflight(resource, method, settings.corsOrigins);
    }
  }

  #acknowledge(settings: Settings): void {
    const findings: Record<string, string> = {
      APIG2: 'The functions validate requests, since only they can name the invalid field as the API promises.',
      APIG6: 'An execution log would hold what callers send; the access log tells status and error of each request.',
      COG4: 'Callers have tokens of this service, which its own authorizer checks.',
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'API Gateway asks for this policy to write logs, in all log groups of the account.',
      ...(settings.firewallRate === undefined
        ? { APIG3: 'This environment has no firewall by its settings; the stage throttles all callers together.' }
        : {}),
    };
    const rules = Object.entries(findings).map(([rule, reason]) => ({ id: `AwsSolutions-${rule}`, reason }));
    Validations.of(this).acknowledge(...rules);
  }
}

/** The gateway waits longer than a function may run, for the start of a new instance counts here but not there. */
const integrationOf = (handler: CatalogFunction): LambdaIntegration =>
  new LambdaIntegration(handler, { allowTestInvoke: false, timeout: Duration.seconds(29) });

/** What every response carries, as far as one without a body can. */
const { 'content-type': _, ...bodiless } = commonHeaders;
const headersOfPreflight = { ...quoted(bodiless), ...requestIdHeader };

/** Answers a browser that asks whether a page may send the request. */
function addPreflight(resource: IResource, method: string, origins: readonly string[]): void {
  const preflight = resource.addCorsPreflight({
    allowOrigins: [...origins],
    allowMethods: [method],
    allowHeaders: [...allowedHeaders],
    maxAge: Duration.hours(1),
  });
  const answer = preflight.node.defaultChild as CfnMethod;
  for (const [name, value] of Object.entries(headersOfPreflight)) {
    const parameter = `ResponseParameters.method\\.response\\.header\\.${name}`;
    answer.addPropertyOverride(`Integration.IntegrationResponses.0.${parameter}`, value);
    answer.addPropertyOverride(`MethodResponses.0.${parameter}`, true);
  }
  // A mock integration evaluates a template on the request as text. JSON being a binary media type, it would get bytes,
  // and answer 500 to every preflight.
  answer.addPropertyOverride('Integration.ContentHandling', 'CONVERT_TO_TEXT');
}
