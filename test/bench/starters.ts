import type { FunctionName } from '../../infra/constructs/functionAccess.ts';
import { identitySettings } from '../../lib/identity/identitySettings.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { tableName } from './artifacts.ts';
import type { Job } from './child/job.ts';
import type { OperationName } from './operations.ts';
import { functionRequest, sampleToken, stubAnswers } from './operations.ts';
import type { Bar, Bench } from './section.ts';

/** The request that each function is asked first. */
const firstRequests = {
  createItem: 'createIdentifiers',
  updateItem: 'update',
  getItem: 'getItem',
  listItems: 'listItems',
  getCatalog: 'getCatalog',
  authorizer: 'authorizer',
} as const satisfies Record<FunctionName, OperationName>;

/** JavaScript that sends what a function sends in a cold container, or only the last of it. */
function cold(operation: OperationName): string {
  if (operation === 'authorizer' || operation === 'getCatalog') return single(operation);
  return `import { configuration, ${operation} } from 'floor.ts';
    export const first = async (number) => { await configuration(); return ${operation}(number); };`;
}

function single(operation: OperationName): string {
  if (operation === 'getCatalog') return "export { configuration as first } from 'floor.ts';";
  if (operation !== 'createIdentifiers') return `export { ${operation} as first } from 'floor.ts';`;
  return `import { transact } from 'floor.ts';
    export const first = (number) => transact(number, number, { withGuards: true });`;
}

const answers = stubAnswers('acme');

/** Something that starts: which job, in which environment, and what it is compared with. */
export interface Starter {
  readonly name: string;
  readonly kind: Bar['kind'];
  readonly job: Job;
  readonly env: Readonly<Record<string, string>>;
  readonly base?: Starter;
  /** Sends only one command, where the function sends several. */
  readonly command?: Starter;
}

/** All that start; the empty process and the trimmed SDK come first. */
export async function starters(bench: Bench): Promise<Starter[]> {
  const nothing: Starter = {
    name: 'nothing',
    kind: 'floor',
    job: { bundle: await bench.artifacts.nothing(), items: 1 },
    env: bench.environments.bare,
  };
  const all: Starter[] = [nothing];
  for (const name of bench.sampling.functions) all.push(...(await functionStarters(bench, name)));
  return all;
}

/** A function, and the SDK alone beside it. */
async function functionStarters(bench: Bench, name: FunctionName): Promise<Starter[]> {
  const { artifacts, environments } = bench;
  const operation = firstRequests[name];
  const bare = async (title: string, first: string): Promise<Starter> => {
    const bundle = await artifacts.trimmedSdk(`${name}-${title.replace(/\W/g, '-')}`, first);
    const job = { bundle, items: 1, answers, first: 'first' };
    return { name: `${title}, as ${name}`, kind: 'floor', job, env: environments.bare };
  };
  const base = await bare('trimmed SDK', cold(operation));
  const command =
    cold(operation) === single(operation) ? base : await bare('trimmed SDK, one command', single(operation));
  const bundle = await artifacts.function(name);
  const requests = { [operation]: functionRequest(operation, bundle, 'acme', sampleToken) };
  const job = { bundle, requests, items: 1, answers, first: operation };
  const own: Starter = { name, kind: 'project', job, env: environments.functions[name], base, command };
  const all = [...new Set([base, command]), own];
  if (name === 'createItem') all.push(...(await usualStarters(bench, command)));
  if (name === 'authorizer')
    all.push({ ...own, name: 'authorizer, with an identity provider', env: withProvider(own.env) });
  return all;
}

function withProvider(env: Readonly<Record<string, string>>) {
  const identity = identitySettings.parse({ issuer: 'http://127.0.0.1:1', audience: tableName });
  return { ...env, [variables.identity]: JSON.stringify(identity) };
}

/** What is usual: each sends one command, as its base does. */
async function usualStarters({ artifacts, environments, missingPeers }: Bench, base: Starter): Promise<Starter[]> {
  const bundle = await artifacts.usualSdk('put', "export { put as first } from 'floor.ts';");
  const job: Job = { bundle, items: 1, answers, first: 'first' };
  const peer = { kind: 'peer', base, command: base } as const;
  const all: Starter[] = [{ ...peer, name: 'the SDK as usually bundled', job, env: environments.bare }];
  if (missingPeers !== undefined) return all;
  const stack = await artifacts.usualStack();
  const requests = { create: functionRequest('create', stack, 'acme', sampleToken) };
  // Traces need the segment that Lambda opens. Without them it only has less to do.
  const env = { ...environments.bare, POWERTOOLS_TRACE_ENABLED: 'false' };
  const stackJob = { bundle: stack, requests, items: 1, answers, first: 'create' };
  return [...all, { ...peer, name: 'the usual stack', job: stackJob, env }];
}
