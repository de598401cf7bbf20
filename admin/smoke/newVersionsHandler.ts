import { setTimeout as sleep } from 'node:timers/promises';
import { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { marshall } from '@aws-sdk/util-dynamodb';
import { heartbeatAccount } from '../../lib/access/accountId.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { defaultsOf } from '../../lib/item/fields.ts';
import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { newItemRecord } from '../../lib/store/records/itemRecord.ts';
import { functionChecks } from './checks.ts';
import { heartbeatToken } from './heartbeatHandler.ts';
import { newVersions, recordingCheck, unknownRoutes, type VersionName, type Versions } from './newVersions.ts';
import { runChecks } from './runChecks.ts';

/** What CodeDeploy sends before it shifts traffic. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

export interface VersionsResult {
  readonly failures: readonly string[];
  /** False if they were not called, because the heartbeat has no token. */
  readonly isChecked: boolean;
}

/**
 * The write of an item that no account ever has, with a sequence number below every real one. It only becomes a change of
 * the heartbeat's account, once the one before has expired.
 */
function delivery(): object {
  const account = heartbeatAccount;
  const none = { id: account, defaultCategory: null, defaultTax: 0, categories: new Map(), units: new Map() };
  const fields = { name: 'Check of new versions', ...defaultsOf('product', none) };
  const item = { ...fields, id: Number.MAX_SAFE_INTEGER, revision: 1, createdAt: 0 };
  const image = marshall(newItemRecord({ ...timedContext(0), account, user: 'heartbeat', writeId: '' }, item));
  const { pk, sk } = image;
  const times = { SequenceNumber: '0', ApproximateCreationDateTime: Math.floor(Date.now() / 1_000) };
  return { Records: [{ dynamodb: { Keys: { pk, sk }, NewImage: image, ...times } }] };
}

export function newVersionsDependencies(source: Source) {
  const providers: { readonly issuer: string }[] = [JSON.parse(source[variables.identity] ?? '[]')].flat();
  // All functions are checked at once, and share what their versions have reserved with callers.
  const lambda = new LambdaClient({ maxAttempts: 12 });
  const codeDeploy = new CodeDeployClient();
  const readToken = heartbeatToken(source);
  return {
    token: async () => (await readToken())?.token,
    /** The identity providers whose tokens the authorizer accepts. */
    issuers: providers.map(({ issuer }) => issuer),
    versions: JSON.parse(requiredVariable(source, variables.versions)) as Versions,
    /** Invokes a version. If that fails, the error has the message that API Gateway would see. */
    invoke: async (version: string, event: object): Promise<unknown> => {
      const invocation = { FunctionName: version, Payload: JSON.stringify(event) };
      const { FunctionError, Payload } = await lambda.send(new InvokeCommand(invocation));
      const result = JSON.parse(Buffer.from(Payload ?? []).toString());
      if (FunctionError !== undefined) throw new Error(result.errorMessage);
      return result;
    },
    delivery,
    /** Reports to CodeDeploy whether it may shift traffic. Without a report, it waits for an hour. */
    decide: async ({ DeploymentId: deploymentId, LifecycleEventHookExecutionId }: HookEvent, passed: boolean) => {
      const hook = { deploymentId, lifecycleEventHookExecutionId: LifecycleEventHookExecutionId };
      const status = passed ? 'Succeeded' : 'Failed';
      await codeDeploy.send(new PutLifecycleEventHookExecutionStatusCommand({ ...hook, status }));
    },
    log: ({ failures, isChecked }: VersionsResult): void => {
      const message = isChecked ? 'new versions' : 'new versions, not checked: the heartbeat has no token';
      process.stdout.write(`${JSON.stringify({ level: failures.length > 0 ? 'ERROR' : 'INFO', message, failures })}\n`);
    },
    /** Before a failed check is repeated, as new permissions take some seconds to be in force. */
    pause: (): Promise<unknown> => sleep(5_000),
  };
}

/** What a rollback sends before it moves traffic to earlier versions. */
export interface RollbackEvent {
  readonly versions: Versions;
}

export interface RollbackResult extends VersionsResult {
  readonly unknownRoutes: readonly string[];
}

type Dependencies = ReturnType<typeof newVersionsDependencies>;

/** Calls versions as the heartbeat would, before any caller does: the new ones for CodeDeploy, or those of a rollback. */
export const newVersionsHandler =
  ({ token, issuers, versions: newOnes, invoke: call, delivery, decide, log, pause }: Dependencies) =>
  async (event: HookEvent | RollbackEvent): Promise<RollbackResult | undefined> => {
    const versions = 'versions' in event ? event.versions : newOnes;
    const invoke = (name: VersionName, request: object) => call(versions[name], request);
    const check = async (): Promise<VersionsResult> => {
      const given = await token();
      const checks = given === undefined ? [] : [...functionChecks(given, issuers), recordingCheck(invoke, delivery())];
      const results = await runChecks(newVersions(invoke), checks, { attempts: 3, pause });
      return { failures: results.flatMap(({ failure }) => failure ?? []), isChecked: given !== undefined };
    };
    const result = await check().catch((error: unknown) => ({ failures: [String(error)], isChecked: true }));
    log(result);
    if ('versions' in event) return { ...result, unknownRoutes: await unknownRoutes(invoke) };
    await decide(event, result.failures.length === 0);
    return undefined;
  };
