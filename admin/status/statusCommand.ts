import { usageError } from '../../cli/program.ts';
import type { AdminIO, AdminProgram } from '../adminProgram.ts';
import { readStatus } from './readStatus.ts';

const description = `Shows the state of an environment: the versions of its functions that are live and that were deployed, with their commits; the alarms that are on, and since when; who gets tickets and pages; the last hour of the heartbeat, and when its token expires; the last verification, and the last backup in another account. It changes nothing. A part that cannot be read says why. It exits with 1 if an alarm is on, nobody has confirmed to get tickets or pages, nothing was reported where something runs, the heartbeat has no valid token, or a part cannot be read.`;

const permissions = `
You need cloudformation:DescribeStacks on the stack, lambda:ListAliases on the functions, ssm:GetParameter on the
parameter in the setting heartbeatToken, sns:ListSubscriptionsByTopic on the topics of the alarms, and
cloudwatch:DescribeAlarms and cloudwatch:GetMetricData.`;

export function addStatusCommand(admin: AdminProgram, { show }: AdminIO): void {
  admin
    .command('status')
    .summary('Shows the state of an environment.')
    .description(description)
    .addHelpText('after', permissions)
    .action(async (_, command) => {
      const { env, json = false } = command.optsWithGlobals();
      if (env === undefined) throw usageError("The command 'status' needs '--env'");
      const { isWell, ...output } = await readStatus(env);
      process.exitCode = isWell ? 0 : 1;
      show(output, json);
    });
}
