import type { FunctionName } from '../../../infra/constructs/functionAccess.ts';
import { identitySettings } from '../../../lib/identity/identitySettings.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { signingKey, signToken } from '../../support/signToken.ts';
import { startIssuer } from '../../support/testIssuer.ts';
import { tableName } from '../artifacts.ts';
import type { Cost } from '../child/job.ts';
import type { OperationName } from '../operations.ts';
import { functionRequest, operations, operationsOf, sampleToken, stubAnswers } from '../operations.ts';
import { Worker } from '../processes.ts';
import type { Bench, Findings, Section } from '../section.ts';
import { median, rotated, spread } from '../statistics.ts';

const answers = stubAnswers('acme');

/** Runs the same number of requests in each worker, in turns, after as many that warm up. */
async function inTurns({ sampling }: Bench, workers: readonly Worker[], operation: string): Promise<Cost[][]> {
  const costs: Cost[][] = workers.map(() => []);
  const { turns, requests } = sampling.warm;
  let from = 0;
  const turn = (worker: Worker, count: number) => worker.run({ operation, from, count, clients: 1 });
  for (const worker of workers) await turn(worker, requests * turns);
  for (let round = 0; round < turns; round += 1) {
    from += requests;
    for (const worker of rotated(workers, round)) {
      const { time, cpu } = await turn(worker, requests);
      costs[workers.indexOf(worker)]?.push({ time: (time * 1e3) / requests, cpu: (cpu * 1e3) / requests });
    }
  }
  return costs;
}

const microseconds = (costs: readonly Cost[], what: keyof Cost) => Math.round(median(costs.map((cost) => cost[what])));

type Row = ReturnType<typeof row>;

function row(title: string, own: readonly Cost[] = [], bare?: readonly Cost[]) {
  const ratios = bare?.map(({ cpu }, round) => (own[round]?.cpu ?? Number.NaN) / cpu);
  return {
    request: title,
    'CPU µs': microseconds(own, 'cpu'),
    'bare calls, CPU µs': bare === undefined ? '–' : microseconds(bare, 'cpu'),
    'CPU ×': ratios === undefined ? '–' : spread(ratios),
    'time µs': microseconds(own, 'time'),
  };
}

/** The CPU of a request in a warm function, beside the same calls sent bare: each bundle in a process, without network. */
export const warm: Section = async (bench): Promise<Findings> => {
  const rows: Row[] = [];
  for (const name of bench.sampling.functions) rows.push(...(await rowsOf(bench, name)));
  if (bench.sampling.functions.includes('authorizer')) rows.push(...(await providerTokens(bench)));
  const groups = rows.map((each) => ({
    title: each.request,
    bars: [
      { title: 'function', kind: 'project' as const, value: each['CPU µs'] },
      ...(typeof each['bare calls, CPU µs'] === 'number'
        ? [{ title: 'bare calls', kind: 'floor' as const, value: each['bare calls, CPU µs'] }]
        : []),
    ],
  }));
  const notes = [
    'Medians of turns in rotated order, with one bundle per process. Ratios with quartiles. Responses come from a stub in ' +
      'the process, after a turn of the event loop. Reference data are cached in a warm container.',
  ];
  return {
    tables: [{ title: 'A request to a warm function, compared with the same calls sent by the SDK alone', rows }],
    notes,
    charts: [{ name: 'bench-warm', title: 'CPU of a request to a warm function', unit: 'µs', groups }],
  };
};

/** The operations of a function, one after another in the same two processes. */
async function rowsOf(bench: Bench, name: FunctionName): Promise<Row[]> {
  const { artifacts, environments, progress } = bench;
  const child = await artifacts.child();
  const bundle = await artifacts.function(name);
  const names = operationsOf(name);
  const request = (operation: OperationName) => functionRequest(operation, bundle, 'acme', sampleToken);
  const requests = Object.fromEntries(names.map((operation) => [operation, request(operation)]));
  const floor = await artifacts.contender('contenders/floor.ts');
  const own = new Worker([child, artifacts.job({ bundle, requests, items: 1, answers })], environments.functions[name]);
  const bare = new Worker([child, artifacts.job({ bundle: floor, items: 1, answers })], environments.bare);
  try {
    const rows: Row[] = [];
    for (const operation of names) {
      const { title } = operations[operation];
      progress(title);
      const workers = operation === 'getCatalog' ? [own] : [own, bare];
      rows.push(row(title, ...(await inTurns(bench, workers, operation))));
    }
    return rows;
  } finally {
    own.end();
    bare.end();
  }
}

/** The authorizer's work on the tokens of an identity provider, which sends nothing to DynamoDB. */
async function providerTokens(bench: Bench): Promise<Row[]> {
  const { artifacts, environments, progress } = bench;
  const issuer = await startIssuer();
  const identity = identitySettings.parse({ issuer: issuer.url, audience: tableName });
  const env = { ...environments.functions.authorizer, [variables.identity]: JSON.stringify(identity) };
  const bundle = await artifacts.function('authorizer');
  issuer.keys = [signingKey('RS256'), signingKey('ES256'), signingKey('EdDSA')];
  const requests = Object.fromEntries(
    issuer.keys.map((key) => {
      const token = signToken(issuer.claims({ scope: 'catalog:edit' }), key);
      return [key.alg, functionRequest('authorizer', bundle, 'acme', token)];
    }),
  );
  const worker = new Worker([await artifacts.child(), artifacts.job({ bundle, requests, items: 1, answers })], env);
  try {
    const rows: Row[] = [];
    for (const algorithm of Object.keys(requests)) {
      const title = `authorize a provider's token, ${algorithm}`;
      progress(title);
      rows.push(row(title, ...(await inTurns(bench, [worker], algorithm))));
    }
    return rows;
  } finally {
    worker.end();
    await issuer.close();
  }
}
