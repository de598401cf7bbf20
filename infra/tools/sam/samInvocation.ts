import { routes } from '../../../lib/http/routes.ts';
import { variables } from '../../../lib/runtime/environment.ts';
import { assetFolder } from '../../cli/assetFolder.ts';
import { localEnvironment } from '../../cli/localCredentials.ts';
import type { LocalService } from '../../cli/localService.ts';
import { CommandError } from '../../cli/runCommand.ts';

/** The functions that SAM can run. */
export const samFunctions = [...Object.keys(routes), 'authorizer'];

/** Where the code of the invoked function is, beside the template: under the same name after each build, for debuggers. */
export const codeFolder = 'code';

/** What SAM reads, as paths. */
interface SamFiles {
  readonly template: string;
  readonly event: string;
  readonly variables: string;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: { readonly Code?: { readonly S3Key?: unknown }; readonly [name: string]: unknown };
}

export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>;
}

interface SampleEvent {
  readonly headers: object | null;
  readonly multiValueHeaders: object | null;
}

/**
 * @param name what a person gave as the function's name
 * @throws ToolFailure when there is no such function
 */
export function samFunction(name: string | undefined): string {
  const usage = `npm run sam -- ${samFunctions.join('|')}`;
  if (name === undefined || name.startsWith('-')) throw new CommandError(`Name the function: ${usage}.`, 2);
  if (!samFunctions.includes(name))
    throw new CommandError(`There is no function ${JSON.stringify(name)}: ${usage}.`, 2);
  return name;
}

/**
 * What SAM is called with.
 * @param flags passed on to `sam local invoke`
 */
export const samArguments = (name: string, files: SamFiles, flags: readonly string[]): string[] => [
  ...['local', 'invoke', name],
  ...['--template', files.template, '--event', files.event, '--env-vars', files.variables],
  // With a debugger, SAM replaces the NODE_OPTIONS of the template.
  '--debug-args=--enable-source-maps',
  ...flags,
];

/** The folder into which synthesis has built a function, beside the template. */
export const builtFolder = ({ Resources }: Template, name: string): string =>
  assetFolder(String(Resources[name]?.Properties?.Code?.S3Key));

/**
 * The template as this machine can run it. The functions are plain JavaScript, so that they need no emulated processor.
 * @param name the function that is invoked
 */
export function localTemplate(template: Template, name: string, architecture: NodeJS.Architecture): Template {
  const Architectures = [architecture === 'arm64' ? 'arm64' : 'x86_64'];
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    if (resource.Type !== 'AWS::Lambda::Function') return [id, resource];
    const folder = id === name ? codeFolder : builtFolder(template, id);
    const Metadata = { 'aws:asset:path': folder, 'aws:asset:property': 'Code' };
    return [id, { ...resource, Properties: { ...resource.Properties, Architectures }, Metadata }];
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

/** The variables of the function by which it finds the table of the service that runs here. */
export const localVariables = (name: string, { table, dynamodb }: Pick<LocalService, 'table' | 'dynamodb'>) => ({
  [name]: { [variables.table]: table, [variables.dynamodb]: dynamodb },
});

/** The event with a token that the service knows. */
export function localEvent<Event extends SampleEvent>(event: Event, token: string): Event {
  const authorization = `Bearer ${token}`;
  return {
    ...event,
    headers: { ...event.headers, Authorization: authorization },
    multiValueHeaders: { ...event.multiValueHeaders, Authorization: [authorization] },
  };
}

/**
 * What SAM runs with: the region and the credentials that the service runs with.
 * @param own the variables of this process
 */
export function samEnvironment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // A profile might ask a person to log in, and SAM would hand the options of an editor's debugger on to the container.
  const { AWS_PROFILE, NODE_OPTIONS, ...rest } = own;
  const environment = { ...localEnvironment, ...rest };
  return { ...environment, AWS_DEFAULT_REGION: environment.AWS_REGION };
}
