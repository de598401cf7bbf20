import { localEnvironment } from '../../cli/localCredentials.ts';

/** Paths of the files that SAM reads. */
interface SamFiles {
  readonly template: string;
  readonly event: string;
  readonly variables: string;
}

/** A profile may prompt for a login, and SAM would pass an editor's NODE_OPTIONS on to the container. */
const excludedVariables = ['AWS_PROFILE', 'NODE_OPTIONS'];

/**
 * Builds the arguments for the `sam` program.
 * @param flags additional flags of `sam local invoke`
 */
export const samArguments = (name: string, files: SamFiles, flags: readonly string[]): string[] => [
  ...['local', 'invoke', name],
  ...['--template', files.template, '--event', files.event, '--env-vars', files.variables],
  // With a debugger, SAM overrides the template's NODE_OPTIONS.
  '--debug-args=--enable-source-maps',
  ...flags,
];

/**
 * The shell command that runs `sam` with these arguments.
 * @param own this process's environment variables
 */
export function commandLine(args: readonly string[], own: NodeJS.ProcessEnv): string {
  const unset = excludedVariables.filter((name) => own[name] !== undefined).map((name) => `-u ${name} `);
  const quoted = args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`));
  return `${unset.length > 0 ? 'env ' : ''}${unset.join('')}sam ${quoted.join(' ')}`;
}

/**
 * SAM's environment variables, with the same region and credentials as the service on this machine.
 * @param own this process's environment variables
 */
export function samEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const rest = Object.entries(own).filter(([name]) => !excludedVariables.includes(name));
  const environment = { ...localEnvironment, ...Object.fromEntries(rest) };
  return { ...environment, AWS_DEFAULT_REGION: environment.AWS_REGION };
}
