import { functionChecks } from './functionChecks.ts';
import { newVersions, recordingCheck, unknownRoutes, type VersionName, type Versions } from './newVersions.ts';
import type { HookEvent, newVersionsDependencies, VersionsResult } from './newVersionsDependencies.ts';
import { runChecks } from './runChecks.ts';

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
