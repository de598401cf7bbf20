import { functionChecks } from './checks.ts';
import { type InvokeVersion, newVersions, recordingCheck } from './newVersions.ts';
import { runChecks } from './runChecks.ts';

/** What CodeDeploy sends before it shifts traffic. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

export interface NewVersionsDependencies {
  /** Returns the heartbeat's token; undefined if it has none. */
  readonly token: () => Promise<string | undefined>;
  /** The identity provider whose tokens the authorizer accepts; undefined if there is none. */
  readonly issuer: string | undefined;
  readonly invoke: InvokeVersion;
  /** Returns a write that can be recorded any number of times, as the table's stream delivers it. */
  readonly delivery: () => object;
  /** Tells CodeDeploy whether it may shift traffic. It waits for an hour if it is not told. */
  readonly decide: (event: HookEvent, passed: boolean) => Promise<void>;
  readonly log: (entry: { readonly failures: readonly string[]; readonly isChecked: boolean }) => void;
  /** Passes the time until a failed check is repeated, as new permissions take some seconds to be in force. */
  readonly pause: () => Promise<unknown>;
}

/** Calls all new versions as the heartbeat would, before any caller does. */
export const newVersionsHandler =
  ({ token, issuer, invoke, delivery, decide, log, pause }: NewVersionsDependencies) =>
  async (event: HookEvent): Promise<void> => {
    const check = async () => {
      const given = await token();
      const checks = given === undefined ? [] : [...functionChecks(given, issuer), recordingCheck(invoke, delivery())];
      const results = await runChecks(newVersions(invoke), checks, { attempts: 3, pause });
      return { failures: results.flatMap(({ failure }) => failure ?? []), isChecked: given !== undefined };
    };
    const result = await check().catch((error: unknown) => ({ failures: [String(error)], isChecked: true }));
    log(result);
    await decide(event, result.failures.length === 0);
  };
