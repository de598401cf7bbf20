import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { requireStack } from '../../../cli/findStack.ts';
import { connectionTo, versionsOf } from '../../../cli/liveVersions.ts';
import { settingsOf } from '../../../infra/environments.ts';
import { guardDeployment } from '../../../tools/cdk/guardDeployment.ts';
import type { TemplateJson } from '../../../tools/cdk/lostResources.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { templateOf } from '../../infra/templateOf.ts';
import { runProgram } from '../../support/programs/program.ts';
import { awsAccountOf, type FunctionVersions, startAws } from '../../support/standIns/standInAws.ts';

const account = awsAccountOf('prod');
const settings = { ...settingsOf('prod'), ...optionalSettings, account };
const template = templateOf('prod', optionalSettings).toJSON() as TemplateJson;
const reserving = 1_294;
const enough = { ConcurrentExecutions: reserving + 100, UnreservedConcurrentExecutions: reserving + 100 };

/** The template with other properties of the table. */
const withTable = ({ Resources }: TemplateJson, properties: object): string => {
  const { table } = Resources;
  return JSON.stringify({
    Resources: { ...Resources, table: { ...table, Properties: { ...table?.Properties, ...properties } } },
  });
};
const renamedKey = {
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sort', KeyType: 'RANGE' },
  ],
};
const lossOfTable = (environment: string) =>
  `catalog-${environment} would lose the AWS::DynamoDB::Table "table", which gets another KeySchema.\n` +
  `No deployment does that. To return to an earlier version, run npm run admin -- rollback --env ${environment}, ` +
  'and revert the commit on main without removing or replacing that resource.';

beforeEach(() => {
  for (const name of ['log', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => undefined);
});
afterEach(() => void vi.restoreAllMocks());

/** Deploys prod to a stand-in for AWS. Returns the actions requested of it before the deployment and after it. */
async function deploy(
  standIn: Parameters<typeof startAws>[0],
  { first = false, acceptLoss = false, atOnce = false, code = 0, move = (): void => undefined, given = template } = {},
) {
  const { url, requests } = await startAws(standIn);
  vi.stubEnv('AWS_ENDPOINT_URL', url);
  const actions = () => requests.map((request) => request.get('Action'));
  let before: readonly unknown[] | undefined;
  const deployment = { environment: 'prod', settings, first, acceptLoss, atOnce, profile: undefined } as const;
  const deploying = async () => {
    before = actions();
    move();
    return code;
  };
  const waits: number[] = [];
  const done = guardDeployment(
    deployment,
    deploying,
    () => given,
    async (milliseconds) => waits.push(milliseconds),
  );
  const outcome = await done.catch(({ message }: Error) => message);
  return { outcome, before, after: actions().slice(before?.length), requests, waits };
}

describe('a deployment to an existing environment', () => {
  it('starts once CloudFormation protects the table and the addresses, if it loses nothing', async () => {
    const { outcome, before, after, requests } = await deploy(
      { stack: { template: JSON.stringify(template) } },
      { code: 3 },
    );
    expect(outcome).toBe(3);
    expect(before).toEqual(['DescribeStacks', 'GetTemplate', 'SetStackPolicy']);
    expect(after).toEqual([]);
    const policy = requests.at(-1);
    expect(policy?.get('StackName')).toBe('catalog-prod');
    expect(JSON.parse(policy?.get('StackPolicyBody') ?? '').Statement).toEqual([
      { Effect: 'Allow', Action: 'Update:*', Principal: '*', Resource: '*' },
      {
        Effect: 'Deny',
        Action: ['Update:Replace', 'Update:Delete'],
        Principal: '*',
        Resource: '*',
        Condition: {
          StringEquals: {
            ResourceType: [
              'AWS::ApiGateway::RestApi',
              'AWS::ApiGateway::Stage',
              'AWS::ApiGateway::DomainName',
              'AWS::DynamoDB::Table',
            ],
          },
        },
      },
    ]);
  });

  it('waits until no cached result of the authorizer lacks a share, if requests begin to need one', async () => {
    const { shares, ...limits } = settingsOf('prod').throttling;
    const templateWith = (enforced: boolean) => {
      const throttling = { ...limits, ...(shares && { shares: { ...shares, enforced } }) };
      return templateOf('prod', { ...optionalSettings, throttling }).toJSON() as TemplateJson;
    };
    const stack = { template: JSON.stringify(templateWith(false)) };
    expect((await deploy({ stack, limits: enough }, { given: templateWith(true) })).waits).toEqual([60_000]);
  });

  it('also starts after an import, which leaves a template in YAML', async () => {
    const { table } = template.Resources;
    const yaml = stringify({ Resources: { table } });
    expect(await deploy({ stack: { template: yaml }, limits: enough })).toMatchObject({ outcome: 0 });
  });

  it.each([false, true])('changes nothing if it would lose the table (told to: %s)', async (acceptLoss) => {
    const stack = { template: withTable(template, renamedKey) };
    const { outcome, before, after } = await deploy({ stack }, { acceptLoss });
    expect(outcome).toBe(lossOfTable('prod'));
    expect(before).toBeUndefined();
    expect(after).toEqual(['DescribeStacks', 'GetTemplate']);
  });

  it('loses what the stack policy does not protect only with --accept-loss', async () => {
    const topic = { Type: 'AWS::SNS::Topic', Properties: {} };
    const stack = { template: JSON.stringify({ Resources: { ...template.Resources, topic } }) };
    expect((await deploy({ stack })).outcome).toBe(
      'catalog-prod would lose the AWS::SNS::Topic "topic", which is no longer in the template under this logical id.\n' +
        'If that is intended, add --accept-loss.',
    );
    expect((await deploy({ stack }, { acceptLoss: true })).outcome).toBe(0);
  });

  it('changes nothing in another AWS account than its own', async () => {
    const { outcome, after } = await deploy({ stack: { account: '999999999999', template: JSON.stringify(template) } });
    expect(outcome).toBe(`prod belongs in the AWS account ${account}, but you are signed in to 999999999999.`);
    expect(after).toEqual(['DescribeStacks']);
  });
});

describe('the checks of new versions', () => {
  const quota = (executions: number) => ({
    ConcurrentExecutions: executions,
    UnreservedConcurrentExecutions: executions,
  });
  const tooFew =
    'A gradual deployment checks its 10 new versions at once, for which it needs 12 concurrent executions, and the AWS ' +
    'account\'s quota of 10 leaves 10: request at least 200 from Service Quotas, for Lambda\'s "Concurrent executions", which can take days.';
  /** The template of the version before, in which all functions had other versions. */
  const earlier = JSON.stringify(template, (key, value) => (key === 'FunctionVersion' ? 'earlier' : value));

  it('must all run at once, or nothing is changed', async () => {
    const stack = { template: earlier };
    expect(await deploy({ stack, limits: quota(10) })).toMatchObject({ outcome: tooFew, before: undefined });
    expect(await deploy({ stack, limits: quota(12) })).toMatchObject({ outcome: 0 });
    expect(await deploy({ stack, limits: quota(10) }, { atOnce: true })).toMatchObject({ outcome: 0 });
  });

  it('are told of when the environment is created, for which they are not needed', async () => {
    const given = templateOf('prod', { ...optionalSettings, reservedConcurrency: undefined }).toJSON() as TemplateJson;
    const created = await deploy({ limits: quota(10) }, { first: true, given });
    expect(created).toMatchObject({ outcome: 0 });
    expect(console.log).toHaveBeenCalledWith(tooFew);
  });
});

describe('the versions that are live', () => {
  const stack = { template: JSON.stringify(template), outputs: { Commit: 'abc' } };
  const noteOf = (commit: string) =>
    expect.stringMatching(
      new RegExp(
        `^Live before the deployment of 20\\d\\d-.*Z, of the commit ${commit}\\. A rollback returns to it\\.$`,
      ),
    );
  const note = noteOf('abc');
  const earlierNote = (day: number) =>
    `Live before the deployment of 2026-11-0${day}T10:00:00.000Z, of the commit abc. A rollback returns to it.`;
  /** The versions to which a rollback returns. */
  const returnsTo = async (functions: Record<string, FunctionVersions>) => {
    const { url } = await startAws({ stack, functions });
    vi.stubEnv('AWS_ENDPOINT_URL', url);
    const found = await versionsOf(connectionTo(settings.region), await requireStack('prod'));
    return found.map(({ before }) => before?.FunctionVersion);
  };
  const functionsWith = (of: FunctionVersions): Record<string, FunctionVersions> => ({
    createItem: { ...of },
    getItem: { ...of },
  });

  const started = { started: '4', startedNote: note };

  it('are recorded before a deployment moves them', async () => {
    const functions = functionsWith({ deployed: '4', live: '4' });
    const move = () => {
      expect(functions).toEqual(functionsWith({ deployed: '4', live: '4', ...started }));
      Object.assign(functions['getItem'] ?? {}, { deployed: '5', live: '5' });
    };
    expect((await deploy({ stack, functions }, { move })).outcome).toBe(0);
    expect(functions['createItem']).toEqual({ deployed: '4', live: '4', before: '4', note, ...started });
    expect(functions['getItem']).toEqual({ deployed: '5', live: '5', before: '4', note, ...started });
    expect(console.log).not.toHaveBeenCalled();
  });

  describe.each([
    ['the first one with versions', undefined],
    ['a later one', '3'],
    ['one after another that was killed', '2'],
  ])('of a deployment that is killed at any call, %s,', (_, before) => {
    /** Of the deployment that moved traffic last, and of one that was killed before its alias `before` was set. */
    const of = { deployed: '4', live: '4', ...(before && { before, note: earlierNote(1) }) };
    const unset = before === '2' ? { started: '3', startedNote: earlierNote(2) } : {};
    const former = before === '2' ? '3' : before;

    // Two functions have at most two calls each before the deployment, and one after it.
    it.each([0, 1, 2, 3, 4, 5, 6])('lead a rollback to what was live before, after %i calls', async (calls) => {
      let [left, hasMoved] = [calls, false];
      const functions = functionsWith({ ...of, ...unset });
      const move = () => {
        hasMoved = true;
        Object.assign(functions['getItem'] ?? {}, { deployed: '5', live: '5' });
      };
      await deploy({ stack, functions, mayMove: () => left-- > 0 }, { move });
      expect(await returnsTo(functions)).toEqual(hasMoved ? ['4', '4'] : [former, former]);
      // The next deployment changes nothing about that.
      await deploy({ stack, functions }, { code: 1 });
      expect(await returnsTo(functions)).toEqual(hasMoved ? ['4', '4'] : [former, former]);
    });
  });

  it.each([0, 1])('stay noted from before if a deployment moves nothing (exit code %i)', async (code) => {
    const earlier = { deployed: '4', live: '4', before: '3', note: 'earlier' };
    const functions = functionsWith(earlier);
    expect((await deploy({ stack, functions }, { code })).outcome).toBe(code);
    expect(functions).toEqual(functionsWith({ ...earlier, ...started }));
  });

  it('are lost to a rollback if they were deployed without being kept, which the deployment says', async () => {
    await deploy({ stack });
    expect(console.log).toHaveBeenCalledWith(expect.stringMatching(/^A rollback cannot return to what is live now, /));
  });

  describe('after a rollback', () => {
    const rolledBack = { deployed: '5', live: '4', before: '4', note: 'Before …, of the commit def. A rollback …' };

    it('are not moved by a gradual deployment, which would begin with the others', async () => {
      const functions = functionsWith(rolledBack);
      const { outcome, before } = await deploy({ stack, functions });
      expect(outcome).toBe(
        'catalog-prod was rolled back, and these versions are live: createItem 4 instead of 5, getItem 4 instead of 5.\n' +
          'A gradual deployment would begin with the others. Deploy at once, with --context atOnce=true, or first go ' +
          'forward again: npm run admin -- rollback --env prod --to deployed',
      );
      expect(before).toBeUndefined();
      expect(functions).toEqual(functionsWith(rolledBack));
    });

    it('are all as deployed after a deployment at once, also those that it does not change', async () => {
      const functions = functionsWith(rolledBack);
      const move = () => void Object.assign(functions['createItem'] ?? {}, { deployed: '6', live: '6' });
      expect((await deploy({ stack, functions }, { atOnce: true, move })).outcome).toBe(0);
      const noted = { before: '4', note: noteOf('def') };
      expect(functions['createItem']).toMatchObject({ deployed: '6', live: '6', ...noted });
      expect(functions['getItem']).toMatchObject({ deployed: '5', live: '5', ...noted });
      expect(console.log).toHaveBeenCalledWith(expect.stringMatching(/^catalog-prod was rolled back, .*\nAfter this /));
    });

    it('are not announced as corrected by a deployment that is refused', async () => {
      const functions = functionsWith(rolledBack);
      const { outcome } = await deploy(
        { stack: { template: withTable(template, renamedKey) }, functions },
        { atOnce: true },
      );
      expect(outcome).toBe(lossOfTable('prod'));
      expect(console.log).not.toHaveBeenCalled();
    });

    it('are as they were after a deployment at once that failed', async () => {
      const functions = functionsWith(rolledBack);
      // CloudFormation goes back to what its template says.
      const move = () => void Object.assign(functions['createItem'] ?? {}, { live: '5' });
      expect((await deploy({ stack, functions }, { atOnce: true, code: 1, move })).outcome).toBe(1);
      expect(Object.values(functions)).toMatchObject([rolledBack, rolledBack]);
    });
  });

  it('are not read while another deployment is under way, and nothing is deployed', async () => {
    const { outcome, before } = await deploy({ stack: { ...stack, status: 'UPDATE_IN_PROGRESS' } });
    expect(outcome).toMatch(/^A deployment of catalog-prod is under way \(UPDATE_IN_PROGRESS\): end it with aws /);
    expect(before).toBeUndefined();
  });
});

describe('an environment that does not exist', () => {
  const statuses = [undefined, 'REVIEW_IN_PROGRESS', 'ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'];
  it.each(statuses)('is created with --first only, and protected once it is (status %s)', async (status) => {
    const stack = status === undefined ? undefined : { status };
    const refused = await deploy({ stack, limits: enough });
    expect(refused).toMatchObject({ before: undefined, after: ['DescribeStacks'] });
    expect(refused.outcome).toBe(
      `There is no catalog-prod in ${settings.region} of the AWS account that you are signed in to: if it belongs there ` +
        'and is to be created, add --first.',
    );
    expect(await deploy({ stack, limits: enough }, { first: true })).toMatchObject({
      outcome: 0,
      before: ['DescribeStacks', 'GetAccountSettings'],
      after: ['SetStackPolicy'],
    });
  });

  it('stays without a policy if its creation fails', async () => {
    expect(await deploy({ limits: enough }, { first: true, code: 1 })).toMatchObject({ outcome: 1, after: [] });
  });

  it('is not created if the AWS account has too few concurrent executions left', async () => {
    const limits = { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: reserving + 99 };
    const { outcome, before } = await deploy({ limits }, { first: true });
    expect(outcome).toBe(
      `The functions would reserve ${reserving} more concurrent executions than the AWS account's quota of 1000 leaves ` +
        'room for: request at least 1001 from Service Quotas, for Lambda\'s "Concurrent executions", which can take days.',
    );
    expect(before).toBeUndefined();
  });
});

describe('npm run cdk -- deploy', () => {
  const own = templateOf('dev').toJSON() as TemplateJson;
  const envOf = async (template: string) => ({ AWS_ENDPOINT_URL: (await startAws({ stack: { template } })).url });

  it('says what would be lost', async () => {
    const env = await envOf(withTable(own, renamedKey));
    const refused = await runProgram('tools/cdk/cdk.ts', ['deploy', '--env', 'dev'], { env });
    expect(refused).toEqual({ code: 1, stdout: '', stderr: `${lossOfTable('dev')}\n` });
  });
});
