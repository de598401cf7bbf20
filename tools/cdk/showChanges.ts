import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOut } from '../../cli/checkOut.ts';
import { CommandError } from '../../cli/commandError.ts';
import { print, printError } from '../../cli/print.ts';
import { temporaryFolder } from '../../cli/temporaryFolder.ts';
import { type EnvironmentName, environmentNames, stackName, unknownCommit } from '../../infra/environments.ts';
import { lostResources, type TemplateJson } from './lostResources.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Shows what this commit changes in the stacks of all environments, first the rights of their roles and the resources
 * that are replaced, removed or new.
 * @param commit the one that it is compared with
 * @param isAll whether to show also what else changes, and not only of which types it is
 * @returns the exit code: 1 if a resource that holds state or an address would be removed or replaced
 */
export function showChanges(commit: string, isAll: boolean): number {
  const base = checkOut(project, commit);
  const folder = temporaryFolder('changes');
  const problems = environmentNames.flatMap((environment) => compare(environment, base, folder, isAll));
  for (const problem of problems) printError(problem);
  return problems.length === 0 ? 0 : 1;
}

/** Shows the changes of one environment. Returns the problems that must not be deployed. */
function compare(environment: EnvironmentName, base: string, folder: string, isAll: boolean): string[] {
  const stack = stackName(environment);
  const before = synthesise(environment, base, join(folder, `${environment}-before`));
  const after = synthesise(environment, project, join(folder, `${environment}-after`));
  const cdk = fileURLToPath(import.meta.resolve('aws-cdk/bin/cdk'));
  const flags = ['--app', after.assembly, '--template', before.file, '--no-color', '--no-notices'];
  const diff = spawnSync(process.execPath, [cdk, 'diff', stack, ...flags], { encoding: 'utf8' });
  if (diff.status !== 0) throw new CommandError(`cdk diff failed: ${diff.stderr}`);
  const problems = lostResources(before.template, after.template).map((loss) => `${stack} would lose ${loss}.`);
  show(stack, diff.stdout + diff.stderr, problems, isAll);
  return problems;
}

function synthesise(environment: EnvironmentName, cwd: string, assembly: string) {
  const context = JSON.stringify({ env: environment, commit: unknownCommit });
  const env = { ...process.env, CDK_OUTDIR: assembly, CDK_CONTEXT_JSON: context };
  const app = spawnSync(process.execPath, ['infra/app.ts'], { cwd, env, encoding: 'utf8' });
  if (app.status !== 0) throw new CommandError(`The stack of ${environment} cannot be synthesised: ${app.stderr}`);
  const file = join(assembly, `${stackName(environment)}.template.json`);
  return { assembly, file, template: JSON.parse(readFileSync(file, 'utf8')) as TemplateJson };
}

/** On GitHub, also adds it to the run's summary. */
function show(stack: string, changes: string, problems: readonly string[], isAll: boolean): void {
  const { first, rest, summary } = foldChanges(changes);
  print(first);
  if (rest.length > 0) print(isAll ? rest.join('') : `${summary} --all shows them.\n`);
  const file = process.env['GITHUB_STEP_SUMMARY'];
  if (file === undefined) return;
  const warnings = problems.map((problem) => `> [!CAUTION]\n> ${problem}\n\n`).join('');
  const code = (text: string) => `\`\`\`\n${text.trim()}\n\`\`\`\n\n`;
  const folded =
    rest.length === 0 ? '' : `<details><summary>${summary}</summary>\n\n${code(rest.join(''))}</details>\n\n`;
  appendFileSync(file, `## ${stack}\n\n${warnings}${code(first)}${folded}`);
}

/** A resource with what changes in it. */
const resource = /^\[[-+~]\] AWS::.*\n(?:(?!\[[-+~]\] |\s*(?:Outputs$|✨)).*\n)*/gm;

/** New ones take the place of others with every change of code or routes. */
const isPublished = (change: string): boolean => /^\[.\] AWS::(Lambda::Version|ApiGateway::Deployment) /.test(change);

/** Its place: replaced and removed ones, then new ones, and no place for those that are only changed. */
const placeOf = (change: string): number =>
  isPublished(change) ? -1 : [/^\[-\]|^\[~\].*replace/, /^\[\+\]/].findIndex((kind) => kind.test(change));

/**
 * Puts first what a person must see, and marks each right by whether it is gained (`+`) or lost (`-`): a `Deny` that is
 * added is lost, where the CDK only marks what is added.
 * @param diff the changes of one stack, from the CDK without colours
 * @returns first rights, replaced and removed resources, new ones and outputs; the rest; and how many of which type that is
 */
export function foldChanges(diff: string) {
  const changes = diff.match(resource) ?? [];
  const placed = [0, 1].flatMap((place) => changes.filter((change) => placeOf(change) === place));
  const rest = changes.filter((change) => placeOf(change) < 0);
  const [before = '', ...after] = diff.split(resource);
  const types = Map.groupBy(rest, (change) => change.split(' ')[1]);
  const counts = [...types].map(([type, { length }]) => `${length} ${type}`);
  return {
    first: [withLostRights(before), ...placed, ...after].join(''),
    rest,
    summary: rest.length === 0 ? '' : `Only changed, or published anew: ${counts.join(', ')}.`,
  };
}

const withLostRights = (rights: string): string =>
  rights.replaceAll(/^│ ([-+]) (?=│[^│]*│ Deny )/gm, (_, sign) => `│ ${sign === '+' ? '-' : '+'} `);
