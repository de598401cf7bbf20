import { setTimeout as sleep } from 'node:timers/promises';
import { CodeDeployClient, PutLifecycleEventHookExecutionStatusCommand } from '@aws-sdk/client-codedeploy';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { VersionName } from '../smoke/newVersions.ts';
import type { NewVersionsDependencies } from '../smoke/newVersionsHandler.ts';
import { required, type Source, variables } from './environment.ts';
import { heartbeatToken } from './heartbeatToken.ts';

/**
 * Creates the dependencies of the check of new versions.
 * @param source `process.env`, or a substitute
 */
export function newVersionsDependencies(source: Source): NewVersionsDependencies {
  const versions: Readonly<Record<VersionName, string>> = JSON.parse(required(source, variables.versions));
  const lambda = new LambdaClient();
  const codeDeploy = new CodeDeployClient();
  return {
    token: heartbeatToken(source),
    invoke: async (name, event) => {
      const invocation = { FunctionName: versions[name], Payload: JSON.stringify(event) };
      const { FunctionError, Payload } = await lambda.send(new InvokeCommand(invocation));
      const result = JSON.parse(Buffer.from(Payload ?? []).toString());
      if (FunctionError !== undefined) throw new Error(result.errorMessage);
      return result;
    },
    decide: async (
      { DeploymentId: deploymentId, LifecycleEventHookExecutionId: lifecycleEventHookExecutionId },
      passed,
    ) => {
      const status = passed ? 'Succeeded' : 'Failed';
      const decision = { deploymentId, lifecycleEventHookExecutionId, status } as const;
      await codeDeploy.send(new PutLifecycleEventHookExecutionStatusCommand(decision));
    },
    log: ({ failures, isChecked }) => {
      const message = isChecked ? 'new versions' : 'new versions, not checked: the heartbeat has no token';
      process.stdout.write(`${JSON.stringify({ level: failures.length > 0 ? 'ERROR' : 'INFO', message, failures })}\n`);
    },
    pause: () => sleep(5_000),
  };
}
