import { functionChecks } from './functionChecks.ts';
import { newVersions, recordingCheck, unknownRoutes, type VersionName, type Versions } from './newVersions.ts';
import { runChecks } from './runChecks.ts';

/** What CodeDeploy sends before it shifts traffic. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

/** What a rollback sends before it moves traffic to earlier versions. */
export type RollbackEvent = Pick<NewVersionsDependencies, 'versions'>;

/** What the check of versions has found. */
export interface VersionsResult {
  readonly failures: readonly string[];
  /** False if they were not called, because the heartbeat has no token. */
  readonly isChecked: boolean;
}

export interface RollbackResult extends VersionsResult {
  readonly unknownRoutes: readonly string[];
}

export interface NewVersionsDependencies {
  readonly token: () => Promise<string | undefined>;
  /** The identity providers whose tokens the authorizer accepts. */
  readonly issuers: readonly string[];
  readonly versions: Versions;
  /** Invokes a version. If that fails, the error has the message that API Gateway would see. */
  readonly invoke: (version: string, event: object) => Promise<unknown>;
  /** Returns a write that can be recorded any number of times, as the table's stream delivers it. */
  readonly delivery: () => object;
  /** Tells CodeDeploy whether it may shift traffic. It waits for an hour if it is not told. */
  readonly decide: (event: HookEvent, passed: boolean) => Promise<void>;
  readonly log: (entry: VersionsResult) => void;
  /** Passes the time until a failed check is repeated, as new permissions take some seconds to be in force. */
  readonly pause: () => Promise<unknown>;
}

/** Calls versions as the heartbeat would, before any caller does: the new ones for CodeDeploy, or those of a rollback. */
export const newVersionsHandler =
  ({ token, issuers, versions: newOnes, invoke: call, delivery, decide, log, pause }: NewVersionsDependencies) =>
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
