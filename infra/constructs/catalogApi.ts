import {
  AccessLogField,
  AccessLogFormat,
  ApiKeySourceType,
  AuthorizationType,
  CfnApiKey,
  type CfnMethod,
  type CfnRestApi,
  CfnUsagePlan,
  CfnUsagePlanKey,
  EndpointAccessMode,
  EndpointType,
  IdentitySource,
  LambdaIntegration,
  LogGroupLogDestination,
  RequestAuthorizer,
  RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Duration, Lazy, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { shareCount, shareKey } from '../../lib/access/shares.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { functionServing, methodsOf, type Operation, operations } from '../../lib/http/operations.ts';
import { metricNamespace } from '../../lib/runtime/metrics.ts';
import type { Settings } from '../environments.ts';
import type { CatalogFunction, CatalogFunctions } from './catalogFunction.ts';
import { addGatewayResponses, addPreflight, refuseOtherMethods } from './gatewayResponses.ts';
import { RetainedLogs } from './retainedLogs.ts';

const { writeItems: batch } = operations;

/** One line of JSON per request, without anything that the caller sent: no header, path, query or body. */
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    time: AccessLogField.contextRequestTimeEpoch(),
    address: AccessLogField.contextIdentitySourceIp(),
    account: AccessLogField.contextAuthorizer('account'),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    error: AccessLogField.contextErrorResponseType(),
    authorizerStatus: AccessLogField.contextAuthorizerStatus(),
    authorizerLatency: AccessLogField.contextAuthorizerLatency(),
    integrationStatus: AccessLogField.contextIntegrationStatus(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
    latency: AccessLogField.contextResponseLatency(),
    responseLength: AccessLogField.contextResponseLength(),
  }),
);

/** The REST API: its routes behind the authorizer, CORS, and API Gateway's own responses. */
export class CatalogApi extends RestApi {
  /** Of the requests that API Gateway rejects itself. */
  readonly accessLogs: ILogGroup;
  readonly accessLogMetrics: ReturnType<typeof accessLogMetrics>;

  constructor(scope: Construct, id: string, settings: Settings, functions: CatalogFunctions) {
    const { batches, shares, ...others } = settings.throttling;
    const accessLogs = new RetainedLogs(scope, `${id}Logs`, settings);
    super(scope, id, {
      // Metrics identify an API by its name, so each environment needs its own.
      restApiName: Stack.of(scope).stackName,
      endpointTypes: [EndpointType.REGIONAL],
      // Makes bodies reach the handler as base64, byte for byte. As text, invalid UTF-8 would be silently replaced.
      binaryMediaTypes: ['application/json'],
      // Smaller responses, such as all of the gateway's own, fit in one packet anyway.
      minCompressionSize: Size.kibibytes(1),
      // No method needs a key before shares are enforced. So the source does not change while some do.
      ...(shares && { apiKeySourceType: ApiKeySourceType.AUTHORIZER }),
      // The default endpoint would bypass a custom domain.
      disableExecuteApiEndpoint: settings.customDomain !== undefined,
      // Access logs need this role, which is set for the whole account and region. Retain it, because other
      // environments may use it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName: 'live',
        ...limitOf(others),
        methodOptions: { [`${batch.path}/${batch.method}`]: limitOf(batches) },
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat,
      },
    });
    // The stack outputs the address itself, under a stable name for tools.
    this.node.tryRemoveChild('Endpoint');
    const api = this.node.defaultChild as CfnRestApi;
    api.securityPolicy = SecurityPolicy.TLS13_1_2_PQ_2025_09;
    api.endpointAccessMode = EndpointAccessMode.STRICT;
    this.accessLogs = accessLogs;
    this.accessLogMetrics = accessLogMetrics(new Construct(this, 'accessLogMetrics'), accessLogs, settings);
    this.#addRoutes(functions, settings);
    addGatewayResponses(this);
    // Otherwise, the CDK would make no new deployment for what overrides change in the methods.
    const methods = () => this.methods.map(({ node }) => (node.defaultChild as CfnMethod)._toCloudFormation());
    this.latestDeployment?.addToLogicalId(Lazy.any({ produce: methods }));
    this.#acknowledge(settings);
  }

  #addRoutes(functions: CatalogFunctions, settings: Settings): void {
    const authorizer = new RequestAuthorizer(this, 'authorizer', {
      handler: functions.authorizer.invoked,
      identitySources: [IdentitySource.header('Authorization')],
      resultsCacheTtl: Duration.millis(timeouts.authorizerCache),
    });
    for (const [path, names] of Map.groupBy(Object.keys(operations) as Operation[], (name) => operations[name].path)) {
      const resource = this.root.resourceForPath(path);
      const methods = names.flatMap(methodsOf);
      // `sam local start-api` counts OPTIONS and ANY as one route, and lets the routes after it override it.
      addPreflight(resource, methods, settings.corsOrigins);
      for (const operation of names) {
        for (const method of methodsOf(operation)) {
          resource.addMethod(method, integrationOf(functions[functionServing(operation)]), {
            authorizer,
            authorizationType: AuthorizationType.CUSTOM,
            ...(settings.throttling.shares?.enforced && { apiKeyRequired: true }),
          });
        }
      }
      refuseOtherMethods(resource, methods);
    }
  }

  #acknowledge(settings: Settings): void {
    const findings: Record<string, string> = {
      APIG2: 'The functions validate requests, since only they can name the invalid field as the API promises.',
      APIG6:
        'An execution log would contain what callers send. The access log has the status and error of each request.',
      COG4: 'The authorizer checks tokens of this service, and of the identity provider that the settings name.',
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
        'API Gateway requires this policy to write logs, for all log groups of the account.',
      ...(settings.firewall === undefined
        ? { APIG3: 'The settings of this environment have no firewall. The stage throttles all callers together.' }
        : {}),
    };
    const rules = Object.entries(findings).map(([rule, reason]) => ({ id: `AwsSolutions-${rule}`, reason }));
    Validations.of(this).acknowledge(...rules);
  }
}

const limitOf = ({ rate, burst }: { rate: number; burst: number }) => ({
  throttlingRateLimit: rate,
  throttlingBurstLimit: burst,
});

const integrationOf = (handler: CatalogFunction): LambdaIntegration =>
  new LambdaIntegration(handler.invoked, { allowTestInvoke: false, timeout: Duration.millis(timeouts.integration) });

/** API Gateway has no metric for the requests that it rejects itself, so they are counted in its access log. */
function accessLogMetrics(scope: Construct, logGroup: ILogGroup, { throttling }: Settings) {
  const count = (metricName: string, filterPattern: IFilterPattern): Metric =>
    new MetricFilter(scope, metricName, {
      logGroup,
      filterPattern,
      // A metric with a default value cannot have dimensions, so the namespace distinguishes the environments.
      metricNamespace: `${metricNamespace}/${Stack.of(scope).stackName}`,
      metricName,
      metricValue: '1',
      defaultValue: 0,
    }).metric();
  return {
    /** Requests beyond the limits of the stage or of an account (429). */
    throttled: count('Throttled', FilterPattern.stringValue('$.error', '=', 'THROTTLED')),
    /** Requests whose share has no key any more (403). */
    unknownKeys: throttling.shares?.enforced
      ? count('UnknownKeys', FilterPattern.stringValue('$.error', '=', 'INVALID_API_KEY'))
      : undefined,
    /** Requests without a valid token (401). */
    unauthorized: count('Unauthorized', FilterPattern.stringValue('$.status', '=', '401')),
  };
}

type Shares = NonNullable<Settings['throttling']['shares']>;

/** A usage plan whose keys the authorizer returns, so that each account has a rate that others cannot use up. */
export class AccountShares extends Construct {
  constructor(scope: Construct, id: string, api: CatalogApi, { batches, ...others }: Shares) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const { path, method } = operations.writeItems;
    const plan = new CfnUsagePlan(this, 'plan', {
      usagePlanName: stackName,
      throttle: planLimit(others),
      apiStages: [
        {
          apiId: api.restApiId,
          stage: api.deploymentStage.stageName,
          throttle: { [`${path}/${method}`]: planLimit(batches) },
        },
      ],
    });
    for (let index = 0; index < shareCount; index += 1) {
      const value = shareKey(stackName, index);
      const key = new CfnApiKey(this, `key${index}`, { name: value, value, enabled: true });
      new CfnUsagePlanKey(this, `member${index}`, { keyId: key.ref, keyType: 'API_KEY', usagePlanId: plan.ref });
    }
  }
}

const planLimit = ({ rate, burst }: { rate: number; burst: number }) => ({ rateLimit: rate, burstLimit: burst });
