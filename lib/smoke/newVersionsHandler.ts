import type { EpochMs } from '../item/epoch.ts';
import { functionChecks } from './checks.ts';
import { type Invoke, NewVersions } from './newVersions.ts';
import { runChecks } from './runChecks.ts';

/** What CodeDeploy sends before it shifts traffic. */
export interface HookEvent {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

/** Dependencies of the check of new versions. */
export interface NewVersionsDependencies {
  /** Returns the heartbeat's token; undefined if it has none. */
  readonly token: () => Promise<string | undefined>;
  readonly invoke: Invoke;
  /** Tells CodeDeploy whether it may shift traffic. It waits for an hour if it is not told. */
  readonly decide: (event: HookEvent, passed: boolean) => Promise<void>;
  readonly log: (entry: { readonly failures: readonly string[]; readonly isChecked: boolean }) => void;
  readonly now: () => EpochMs;
  /** Passes the time until a failed check is repeated, as new permissions take some seconds to be in force. */
  readonly pause: () => Promise<unknown>;
}

/** Calls all new versions as the heartbeat would, before any caller does. */
export const newVersionsHandler =
  ({ token, invoke, decide, log, now, pause }: NewVersionsDependencies) =>
  async (event: HookEvent): Promise<void> => {
    const check = async (): Promise<void> => {
      const given = await token();
      const checks = given === undefined ? [] : functionChecks(given);
      const results = await runChecks(new NewVersions(invoke), checks, { now, attempts: 3, pause });
      const failures = results.flatMap(({ failure }) => failure ?? []);
      log({ failures, isChecked: given !== undefined });
      await decide(event, failures.length === 0);
    };
    await check().catch(async (error: unknown) => {
      log({ failures: [String(error)], isChecked: true });
      await decide(event, false);
    });
  };
