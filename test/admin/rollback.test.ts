import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { arnOf, awsAccountOf, type FunctionVersions, startAws } from '../support/standIns/standInAws.ts';
import { operatorOf } from './operator.ts';

const note = 'Live before the deployment of 2026-11-25T10:00:00.000Z, of the commit old. A rollback returns to it.';
const changed = ['createItem', 'updateItem', 'authorizer', 'recordChanges'];
const before = { ...Object.fromEntries(changed.map((name) => [name, '4'])), getItem: '3', listChanges: '1' };
const deployed = { ...before, ...Object.fromEntries(changed.map((name) => [name, '5'])) };

/** After a deployment that changed all functions but one, and added another one. */
let functions: Record<string, FunctionVersions>;
const live = () => Object.fromEntries(Object.entries(functions).map(([name, of]) => [name, of.live]));

beforeEach(() => {
  const all = Object.entries(deployed).map(([name, version]) => [name, { deployed: version, live: version }] as const);
  functions = Object.fromEntries(all);
  for (const name of [...changed, 'getItem'])
    Object.assign(functions[name] ?? {}, { before: before[name as 'getItem'], note });
});
afterEach(() => {
  process.exitCode = undefined;
});

/** What the last command has printed. */
let shown = '';

const passed = { failures: [], isChecked: true, unknownRoutes: [] };

/** Stands in for AWS after that deployment. Returns the command. */
async function start(
  standIn: Omit<Parameters<typeof startAws>[0], 'stack'> = {},
  status = 'UPDATE_COMPLETE',
  outputs: Record<string, string> = {},
) {
  const stack = { status, outputs: { CheckNewVersionsFunction: 'check', Commit: 'new', ...outputs } };
  const { url } = await startAws({ stack, functions, invoke: () => passed, ...standIn });
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  return async (options = '', ask = async (_: string) => 'prod') => {
    const { text, data } = await operatorOf(undefined, ask).run(`rollback ${options}`.trim(), { env: 'prod' });
    shown = text;
    return data;
  };
}

it('shows the moves, checks the earlier versions, makes them live, and goes forward again', async () => {
  const invoked: unknown[] = [];
  const invoke = (...given: unknown[]) => {
    invoked.push(given);
    return passed;
  };
  const run = await start({ invoke });
  let question = '';
  const ask = async (text: string) => {
    question = text;
    return 'prod';
  };
  expect(await run('', ask)).toEqual({ to: 'before', live: before });
  expect(live()).toEqual(before);
  expect(question).toMatch(`This is prod, in the AWS account ${awsAccountOf('prod')}.\n`);
  expect(question).toMatch(
    new RegExp(`^createItem +version 5 \\(commit new\\) +goes to version 4 +Version 4: ${note}$`, 'm'),
  );
  expect(question).toMatch(new RegExp(`^getItem +version 3 \\(commit new\\) +stays +Version 3: ${note}$`, 'm'));
  expect(question).toMatch(
    /^listChanges +version 1 \(commit new\) +stays +It has no earlier version\.\nType prod .*: $/m,
  );
  const versions = Object.fromEntries(Object.entries(before).map(([name, to]) => [name, `${arnOf(name)}:${to}`]));
  expect(invoked).toEqual([['check', { versions }]]);
  await run('--to deployed', ask);
  expect(question).toMatch(
    new RegExp(`^createItem +version 4 \\(commit old\\) +goes to version 5 +Version 4: ${note}$`, 'm'),
  );
  expect(live()).toEqual(deployed);
});

it('exits with 1 without a question if there is nothing to move, such as when it is repeated', async () => {
  const run = await start();
  const first = await run();
  expect(process.exitCode).toBeUndefined();
  expect(await run('', () => Promise.reject(new Error('asked')))).toEqual(first);
  expect(shown).toMatch(/^Nothing to move\. Live: /);
  expect(process.exitCode).toBe(1);
});

it('ends a shift that is partly done', async () => {
  Object.assign(functions['createItem'] ?? {}, { live: '4', weights: { 5: 0.1 } });
  await (await start())();
  const { live: version, weights } = functions['createItem'] ?? {};
  expect({ version, weights }).toEqual({ version: '4', weights: {} });
});

it.each(changed.map((_, count) => count))('goes on after it moved %i aliases, and names the others', async (count) => {
  let left = count;
  const run = await start({ mayMove: () => left-- > 0 });
  const failed = String(await run().catch(({ message }: Error) => message));
  const behind = changed.filter((name) => functions[name]?.live === '5');
  expect(behind).toHaveLength(changed.length - count);
  expect(failed.match(/^\w+(?= is not live in version 4: )/gm)).toEqual(behind);
  left = changed.length;
  await run();
  expect(live()).toEqual(before);
});

/** What the deployment has recorded that moved the functions, but was killed before it could end. */
const killed = { before: '2', started: '4', startedNote: note, note: note.replace('11-25', '11-24') };

// Two functions with two aliases each to move: first `before`, then `live`.
it.each([0, 1, 2, 3, 4])('after a killed deployment, can be killed after %i calls and repeated', async (calls) => {
  functions = {
    createItem: { deployed: '5', live: '5', ...killed },
    updateItem: { deployed: '5', live: '5', ...killed },
  };
  let left = calls;
  const run = await start({ mayMove: () => left-- > 0 });
  await run().catch(() => undefined);
  left = 4;
  await run();
  await run();
  expect(live()).toEqual({ createItem: '4', updateItem: '4' });
});

it('does the same when it runs twice at once', async () => {
  const run = await start();
  const bothAsk = Promise.withResolvers<string>();
  let asking = 0;
  const ask = () => {
    asking += 1;
    if (asking === 2) bothAsk.resolve('prod');
    return bothAsk.promise;
  };
  const [one, other] = await Promise.all([run('', ask), run('', ask)]);
  expect(one).toEqual(other);
  expect(live()).toEqual(before);
});

it('does not overrule a deployment that began meanwhile', async () => {
  const run = await start();
  const deploying = async () => {
    Object.assign(functions['createItem'] ?? {}, { live: '6', revision: 1 });
    return 'prod';
  };
  await expect(run('', deploying)).rejects.toThrow(
    /^createItem is not live in version 4: .*\nRun the command again\.$/,
  );
  expect(live()).toEqual({ ...before, createItem: '6' });
});

/** Deployments of other programs in the same AWS account. */
const others = Object.fromEntries(Array.from({ length: 110 }, (_, index) => [`other-${index}`, 'other']));

it.each([
  [
    'UPDATE_IN_PROGRESS',
    {},
    'A deployment of catalog-prod is under way (UPDATE_IN_PROGRESS): end it with aws cloudformation cancel-update-stack --stack-name catalog-prod.',
  ],
  [
    'UPDATE_ROLLBACK_IN_PROGRESS',
    {},
    'A deployment of catalog-prod is under way (UPDATE_ROLLBACK_IN_PROGRESS): wait until it has ended.',
  ],
  [
    'UPDATE_COMPLETE',
    { ...others, 'd-1': 'catalog-prod-deploymentapplication-X', 'd-2': 'other' },
    'CodeDeploy is shifting traffic of catalog-prod. End that with:\naws deploy stop-deployment --auto-rollback-enabled --deployment-id d-1',
  ],
])('does nothing during a deployment (%s), and names the command that ends it', async (status, shifts, message) => {
  await expect((await start({ shifts }, status))()).rejects.toMatchObject({ message });
  expect(live()).toEqual(deployed);
});

it('names the routes that will fail, and moves nothing unless the environment is typed', async () => {
  const run = await start({ invoke: () => ({ ...passed, unknownRoutes: ['GET /units'] }) });
  const refuse = async (question: string) => (question.includes('\nThen GET /units fails, ') ? 'yes' : 'prod');
  await expect(run('', refuse)).rejects.toThrow('Nothing was moved, because prod was not typed.');
  expect(live()).toEqual(deployed);
});

it.each([
  [{ ...passed, failures: ['getItem failed.'] }, 'getItem failed.'],
  [{ ...passed, isChecked: false }, 'The heartbeat has no token to call them with.'],
])('moves nothing if the check returns %j, except with --unchecked', async (result, reason) => {
  const run = await start({ invoke: () => result });
  await expect(run()).rejects.toThrow(`${reason}\nTo make them live without calling them first, add --unchecked.`);
  expect(live()).toEqual(deployed);
  await run('--unchecked');
  expect(live()).toEqual(before);
});

it('fails with one sentence if no deployment has kept versions', async () => {
  await expect((await start({ functions: {} }))()).rejects.toThrow('catalog-prod has no earlier versions');
});

it('refuses an authorizer that gives callers no share while shares are enforced', async () => {
  const run = await start({}, undefined, { SharesEnforced: 'true' });
  await expect(run()).rejects.toThrow('Version 4 of the authorizer gives callers no share');
  expect(live()).toEqual(deployed);
  Object.assign(functions['authorizer'] ?? {}, { variables: { CATALOG_SHARES: '{}' } });
  await run();
  expect(live()).toEqual(before);
});
