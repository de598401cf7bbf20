import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { settingsOf } from '../../infra/environments.ts';

interface DeployedStack {
  readonly account?: string;
  readonly status?: string;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly template?: string;
}

interface StandIn {
  /** Its account's only stack, whatever its name. If omitted, there is none. */
  readonly stack?: DeployedStack | undefined;
  /** Lambda's limits of the account. */
  readonly limits?: { readonly ConcurrentExecutions: number; readonly UnreservedConcurrentExecutions: number };
}

const text = (value: string): string => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function answerOf(action: string, { account = '111122223333', status = 'CREATE_COMPLETE', ...stack }: DeployedStack) {
  const outputs = Object.entries(stack.outputs ?? {}).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const id = `arn:aws:cloudformation:${settingsOf('prod').region}:${account}:stack/catalog/1`;
  const results: Record<string, string> = {
    DescribeStacks: `<Stacks><member><StackId>${id}</StackId><StackStatus>${status}</StackStatus>
      <Outputs>${outputs.join('')}</Outputs></member></Stacks>`,
    GetTemplate: `<TemplateBody>${text(stack.template ?? '')}</TemplateBody>`,
  };
  return `<${action}Response><${action}Result>${results[action] ?? ''}</${action}Result></${action}Response>`;
}

/** Starts a CloudFormation and a Lambda for the duration of a test. Returns their address and what they are asked. */
export async function startAws({ stack, limits }: StandIn) {
  const requests: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const asked = new URLSearchParams((await request.setEncoding('utf8').toArray()).join(''));
    if (request.method === 'GET') asked.set('Action', 'GetAccountSettings');
    requests.push(asked);
    const action = asked.get('Action') ?? '';
    if (action === 'GetAccountSettings') return response.end(JSON.stringify({ AccountLimit: limits }));
    if (stack !== undefined || action === 'SetStackPolicy') return response.end(answerOf(action, stack ?? {}));
    return response.writeHead(400).end(`<ErrorResponse><Error><Code>ValidationError</Code>
      <Message>Stack with id ${asked.get('StackName')} does not exist</Message></Error></ErrorResponse>`);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}
