import { type EnvironmentName, environmentNames, settingsOf, stackName } from '../../../infra/environments.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { answering } from './answering.ts';

interface DeployedStack {
  readonly account?: string;
  readonly status?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly template?: string;
}

/** What Lambda and the stack's output say of a function with versions. */
export interface FunctionVersions {
  /** The version that the template makes live. */
  deployed: string;
  /** The version of each alias. */
  live: string;
  before?: string;
  /** The environment of all versions. */
  variables?: Readonly<Record<string, string>>;
  /** The description of the alias `before`. */
  note?: string;
  /** The same of the alias `started`. */
  started?: string;
  startedNote?: string;
  /** The shares of other versions in the traffic. */
  weights?: Readonly<Record<string, number>>;
  /** Counts the changes of the alias `live`. */
  revision?: number;
}

interface StandIn {
  /** Its account's only stack, whatever its name. If omitted, there is none. */
  readonly stack?: DeployedStack | undefined;
  /** Lambda's limits of the account. */
  readonly limits?: { readonly ConcurrentExecutions: number; readonly UnreservedConcurrentExecutions: number };
  /** The stack's functions with versions, by their names. */
  readonly functions?: Readonly<Record<string, FunctionVersions>>;
  /** The applications that CodeDeploy shifts traffic of, by the id of the deployment. */
  readonly shifts?: Readonly<Record<string, string>>;
  /** Answers the invocation of a function. */
  readonly invoke?: (name: string, event: object) => object;
  /** Who has subscribed to a topic, by its ARN: the address, and the ARN of the subscription or what is there instead. */
  readonly subscriptions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The answers of CloudWatch and SSM by action, of which others are refused. */
  readonly answers?: Readonly<Record<string, (input: JsonObject) => object>>;
  /** Returns whether the alias of a function may be created or moved. */
  readonly mayMove?: (name: string, alias: string) => boolean;
}

const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The AWS account that an environment belongs in, to which the commands are signed in. */
export const awsAccountOf = (environment: EnvironmentName): string => settingsOf(environment).account ?? '111122223333';

export const arnOf = (name: string): string =>
  `arn:aws:lambda:${settingsOf('prod').region}:${awsAccountOf('prod')}:function:catalog-prod-${name}`;

function answerOf(name: string | null, action: string, stack: DeployedStack, functions: StandIn['functions'] = {}) {
  // The CDK also asks who it is, and names no stack.
  const environment = environmentNames.find((each) => stackName(each) === name) ?? 'dev';
  const { account = awsAccountOf(environment), status = 'CREATE_COMPLETE' } = stack;
  const versions = Object.entries(functions).map(([of, { deployed }]) => [of, `${arnOf(of)}:${deployed}`]);
  const own = versions.length === 0 ? {} : { Versions: JSON.stringify(Object.fromEntries(versions)) };
  const outputs = Object.entries({ ...own, ...stack.outputs }).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const id = `arn:aws:cloudformation:${settingsOf('prod').region}:${account}:stack/catalog/1`;
  const results: Record<string, string> = {
    DescribeStacks: `<Stacks><member><StackId>${id}</StackId><StackName>${name}</StackName>
      <StackStatus>${status}</StackStatus><LastUpdatedTime>2026-11-27T10:00:00Z</LastUpdatedTime><Outputs>${outputs.join('')}</Outputs></member></Stacks>`,
    GetTemplate: `<TemplateBody>${text(stack.template ?? '')}</TemplateBody>`,
  };
  return `<${action}Response><${action}Result>${results[action] ?? ''}</${action}Result></${action}Response>`;
}

/** SNS's answer, a subscription on each page. */
function subscriptionsAnswer(subscriptions: StandIn['subscriptions'] = {}, asked: URLSearchParams): string {
  const all = Object.entries(subscriptions[asked.get('TopicArn') ?? ''] ?? {});
  const page = Number(asked.get('NextToken') ?? 0);
  const members = all
    .slice(page, page + 1)
    .map(([to, arn]) => `<member><Endpoint>${to}</Endpoint><SubscriptionArn>${arn}</SubscriptionArn></member>`);
  const next = page + 1 < all.length ? `<NextToken>${page + 1}</NextToken>` : '';
  const action = 'ListSubscriptionsByTopic';
  return `<${action}Response><${action}Result><Subscriptions>${members.join('')}</Subscriptions>${next}</${action}Result></${action}Response>`;
}

/** Lambda's answer about the aliases of a function, as a status and a body. */
function aliasAnswer(
  name: string,
  of: FunctionVersions,
  method: string,
  alias: 'live' | 'before' | 'started',
  given: Record<string, unknown> = {},
) {
  const ofName = { AliasArn: `${arnOf(name)}:live`, RevisionId: String(of.revision ?? 0) };
  const live = { ...ofName, Name: 'live', FunctionVersion: of.live };
  const before = { ...ofName, Name: 'before', FunctionVersion: of.before, Description: of.note };
  const started = { ...ofName, Name: 'started', FunctionVersion: of.started, Description: of.startedNote };
  const { FunctionVersion, Description, RevisionId, RoutingConfig } = given;
  if (method === 'GET') {
    const weighted = { ...live, RoutingConfig: { AdditionalVersionWeights: of.weights ?? {} } };
    const others = [before, started].filter((other) => other.FunctionVersion !== undefined);
    return [200, { Aliases: [weighted, ...others] }] as const;
  }
  if (alias !== 'live') {
    const exists = of[alias] !== undefined;
    if (exists !== (method === 'PUT')) return [exists ? 409 : 404, { message: 'It does, or does not, exist' }] as const;
    Object.assign(of, { [alias]: FunctionVersion, [alias === 'before' ? 'note' : 'startedNote']: Description });
  } else {
    if (![undefined, ofName.RevisionId].includes(RevisionId as string))
      return [412, { message: 'The alias has another revision' }] as const;
    const weights = (RoutingConfig as { AdditionalVersionWeights: object }).AdditionalVersionWeights;
    Object.assign(of, { live: FunctionVersion, weights, revision: (of.revision ?? 0) + 1 });
  }
  return [200, {}] as const;
}

function lambdaAnswer({ functions = {}, invoke, mayMove }: StandIn, method: string, url: string, body: string) {
  const [, , target = '', what, named] = decodeURIComponent(url).slice(1).split('/');
  const given = body === '' ? undefined : JSON.parse(body);
  const alias = named ?? given?.Name;
  if (what === 'invocations') return [200, invoke?.(target, given) ?? {}] as const;
  const name = target.replace(/.*catalog-prod-/, '');
  const { [name]: of } = functions;
  if (of === undefined) return [404, { message: `There is no ${target}` }] as const;
  if (what?.startsWith('configuration')) return [200, { Environment: { Variables: of.variables } }] as const;
  if (method !== 'GET' && mayMove?.(name, alias) === false) return [403, { message: 'It may not be moved' }] as const;
  return aliasAnswer(name, of, method, alias, given);
}

/** A page of 100 ids, or what is known of at most 25. */
function codeDeployAnswer(shifts: Readonly<Record<string, string>>, { deploymentIds, nextToken = 0 }: CodeDeployInput) {
  const known = deploymentIds?.slice(0, 25).map((id) => ({ deploymentId: id, applicationName: shifts[id] }));
  if (known !== undefined) return { deploymentsInfo: known };
  const left = Object.keys(shifts).slice(Number(nextToken));
  return { deployments: left.slice(0, 100), nextToken: left.length > 100 ? `${Number(nextToken) + 100}` : undefined };
}

interface CodeDeployInput {
  readonly deploymentIds?: readonly string[];
  readonly nextToken?: string | number;
}

/**
 * Starts a CloudFormation, a Lambda, a CodeDeploy, a CloudWatch, an SSM and an SNS for the duration of a test. Returns
 * their address, and the requests except those about versions.
 */
export async function startAws(standIn: StandIn) {
  const { stack, functions, shifts = {}, answers = {} } = standIn;
  const requests: URLSearchParams[] = [];
  const url = await answering(async (request, response) => {
    const body = (await request.setEncoding('utf8').toArray()).join('');
    const { method = '', url: path = '' } = request;
    const [service = '', asked = ''] = String(request.headers['x-amz-target'] ?? '').split('.');
    if (service.startsWith('CodeDeploy'))
      return response.end(JSON.stringify(codeDeployAnswer(shifts, JSON.parse(body))));
    if (service !== '') {
      const refusal = { __type: 'AccessDeniedException', message: `${asked} is not allowed` };
      const { [asked]: answer } = answers;
      return response
        .writeHead(answer === undefined ? 400 : 200)
        .end(JSON.stringify(answer?.(JSON.parse(body)) ?? refusal));
    }
    if (path.includes('/functions/')) {
      const [status, answer] = lambdaAnswer(standIn, method, path, body);
      return response.writeHead(status).end(JSON.stringify(answer));
    }
    const parameters = new URLSearchParams(body);
    if (method === 'GET') parameters.set('Action', 'GetAccountSettings');
    requests.push(parameters);
    const action = parameters.get('Action') ?? '';
    if (action === 'ListSubscriptionsByTopic')
      return response.end(subscriptionsAnswer(standIn.subscriptions, parameters));
    if (action === 'GetAccountSettings') return response.end(JSON.stringify({ AccountLimit: standIn.limits }));
    if (stack !== undefined || action === 'SetStackPolicy')
      return response.end(answerOf(parameters.get('StackName'), action, stack ?? {}, functions));
    return response.writeHead(400).end(`<ErrorResponse><Error><Code>ValidationError</Code>
      <Message>Stack with id ${parameters.get('StackName')} does not exist</Message></Error></ErrorResponse>`);
  });
  return { url, requests };
}
