import { expect, it, onTestFinished, vi } from 'vitest';
import { newVersionsDependencies } from '../../../../admin/smoke/newVersionsHandler.ts';
import { variables } from '../../../../lib/runtime/environment.ts';
import { answering } from '../../../support/standIns/answering.ts';
import { writtenLines } from '../../../support/standIns/writtenLines.ts';

const version = 'arn:aws:lambda:eu-central-1:111122223333:function:getItem:7';

/** Lambda and CodeDeploy. A function fails if its event says so. */
async function startAws() {
  const requests: unknown[] = [];
  const url = await answering(async (request, response) => {
    const body = JSON.parse((await request.setEncoding('utf8').toArray()).join(''));
    requests.push([request.headers['x-amz-target'] ?? decodeURIComponent(request.url ?? ''), body]);
    if (body.fails) response.setHeader('x-amz-function-error', 'Unhandled');
    response.end(JSON.stringify(body.fails ? { errorType: 'Error', errorMessage: 'broken' } : { statusCode: 200 }));
  });
  const env = { AWS_ENDPOINT_URL: url, AWS_REGION: 'local', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return requests;
}

it('a version is invoked by its ARN, and its error has the message that it failed with', async () => {
  const requests = await startAws();
  const { invoke, versions } = newVersionsDependencies({ [variables.versions]: JSON.stringify({ getItem: version }) });
  expect(versions.getItem).toBe(version);
  expect(await invoke(version, { path: '/' })).toEqual({ statusCode: 200 });
  await expect(invoke(version, { fails: true })).rejects.toThrow(/^broken$/);
  expect(requests[0]).toEqual([`/2015-03-31/functions/${version}/invocations`, { path: '/' }]);
});

it('a version that others use at the same time is invoked until it can be', async () => {
  let refusals = 8;
  const url = await answering((_request, response) => {
    response.writeHead(refusals > 0 ? 429 : 200, { 'x-amzn-errortype': 'TooManyRequestsException' }).end('{}');
    refusals -= 1;
  });
  await startAws();
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  // The delays of the SDK are a random share of ever longer ones.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => random.mockRestore());
  const { invoke } = newVersionsDependencies({ [variables.versions]: '{}' });
  expect(await invoke(version, {})).toEqual({});
  expect(refusals).toBe(-1);
});

it.each([
  [true, 'Succeeded'],
  [false, 'Failed'],
])('CodeDeploy is told %s as %s', async (passed, status) => {
  const requests = await startAws();
  const { decide } = newVersionsDependencies({ [variables.versions]: '{}' });
  await decide({ DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'hook-1' }, passed);
  expect(requests).toEqual([
    [
      'CodeDeploy_20141006.PutLifecycleEventHookExecutionStatus',
      { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'hook-1', status },
    ],
  ]);
});

it('the log says what failed, or that nothing was checked', () => {
  const { log } = newVersionsDependencies({ [variables.versions]: '{}' });
  const lines = writtenLines(() => {
    log({ failures: ['getItem failed.'], isChecked: true });
    log({ failures: [], isChecked: true });
    log({ failures: [], isChecked: false });
  });
  expect(lines).toEqual([
    { level: 'ERROR', message: 'new versions', failures: ['getItem failed.'] },
    { level: 'INFO', message: 'new versions', failures: [] },
    { level: 'INFO', message: 'new versions, not checked: the heartbeat has no token', failures: [] },
  ]);
});
