import { unknownCommit } from '../../infra/environments.ts';
import { columns } from '../columns.ts';
import type { Status } from './readStatus.ts';

/** A status for people, one line for each function, alarm and part. */
export function statusText(status: Status): string {
  const {
    environment,
    awsAccount,
    region,
    status: state,
    since,
    alarms,
    heartbeat,
    token,
    verification,
    backup,
  } = status;
  return [
    `This is ${environment}, in the AWS account ${awsAccount}, ${region}: ${state} since ${since}.`,
    `Table: ${status.table}`,
    partText('Versions', status.functions, (functions) => versionsText(functions, status.commit)),
    partText('Alarms', alarms, (on) =>
      on.length === 0
        ? 'none is on'
        : `\n${columns(on.map(({ name, since, text }) => [`  ${name}`, `since ${since}`, text]))}`,
    ),
    partText('Heartbeat, last hour', heartbeat, ({ passed, failed, lastFailed }) => {
      const missing = Math.max(0, 60 - passed - failed);
      const when = lastFailed === undefined ? '' : `, the last one at ${lastFailed}`;
      return `${passed} passed, ${failed} failed${when}, ${missing} not reported`;
    }),
    partText("Heartbeat's token", token, ({ expires }) =>
      expires === undefined ? `missing: npm run admin -- heartbeat --env ${environment}` : `expires ${expires}`,
    ),
    partText('Last verification', verification, ({ at, findings }) =>
      at === undefined ? 'none in three days' : `${at}, findings: ${findings}`,
    ),
    partText('Last backup in the other account', backup, ({ at }) => at ?? 'none in three days'),
  ].join('\n');
}

function partText<Part extends object>(
  title: string,
  part: Part | { readonly unreadable: string } | undefined,
  text: (part: Part) => string,
): string {
  if (part === undefined) return `${title}: not in the settings`;
  const shown = 'unreadable' in part ? `cannot be read: ${part.unreadable}` : text(part);
  return `${title}:${shown.startsWith('\n') ? '' : ' '}${shown}`;
}

type Functions = Extract<Status['functions'], readonly object[]>;

function versionsText(functions: Functions, deployed = unknownCommit): string {
  if (functions.length === 0) return `no earlier ones are kept; commit ${deployed}`;
  const rows = functions.map((of) => {
    const shares = Object.entries(of.shifting);
    const others = shares.map(([version, share]) => `, ${Math.round(share * 100)} % version ${version}`).join('');
    const live = `live: version ${of.live}${others} (commit ${of.commit ?? unknownCommit})`;
    return [`  ${of.name}`, live, `deployed: version ${of.deployed} (commit ${deployed})`];
  });
  return `\n${columns(rows)}`;
}
