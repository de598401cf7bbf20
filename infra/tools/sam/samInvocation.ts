import { variables } from '../../../lib/runtime/environment.ts';
import { assetFolder } from '../../cli/assetFolder.ts';
import { CommandError } from '../../cli/commandError.ts';
import { localClientConfig, localEnvironment } from '../../cli/localCredentials.ts';
import type { LocalService } from '../../cli/localService.ts';
import { functionNames } from '../../constructs/functionAccess.ts';

/**
 * The folder next to the template with the invoked function's bundle. Debuggers need the same path after each build.
 */
export const codeFolder = 'code';

interface SamResource {
  readonly Type: string;
  readonly Properties?: {
    readonly Code?: { readonly S3Key?: unknown };
    readonly Environment?: { readonly Variables?: object };
    readonly [name: string]: unknown;
  };
}

export interface SamTemplate {
  readonly Resources: Readonly<Record<string, SamResource>>;
}

interface SampleEvent {
  readonly headers: object | null;
  readonly multiValueHeaders: object | null;
}

const noHeartbeat =
  'npm run sam cannot run the heartbeat, which calls an API and has no access to the table. npm run smoke sends the same requests.';

/**
 * @param name the function's name on the command line
 * @throws CommandError if there is no such function
 */
export function parseFunction(name: string | undefined): string {
  const usage = `npm run sam -- ${functionNames.join('|')}`;
  if (name === undefined || name.startsWith('-')) throw new CommandError(`Name the function: ${usage}.`, 2);
  if (name === 'heartbeat') throw new CommandError(noHeartbeat, 2);
  const found = functionNames.find((known) => known === name);
  if (found === undefined) throw new CommandError(`There is no function ${JSON.stringify(name)}: ${usage}.`, 2);
  return found;
}

/** The folder next to the template where synthesis put a function's bundle. */
export const builtFolder = ({ Resources }: SamTemplate, name: string): string =>
  assetFolder(String(Resources[name]?.Properties?.Code?.S3Key));

/**
 * Adapts the template to this machine. Sets this machine's processor architecture, which needs no emulation because the
 * functions are plain JavaScript. Declares the variables of {@link samVariables}, because SAM only sets declared
 * variables.
 * @param name the function to invoke
 */
export function localTemplate(template: SamTemplate, name: string, architecture: NodeJS.Architecture): SamTemplate {
  const Architectures = [architecture === 'arm64' ? 'arm64' : 'x86_64'];
  const resources = Object.entries(template.Resources).map(([id, resource]) => {
    if (resource.Type !== 'AWS::Lambda::Function') return [id, resource];
    const folder = id === name ? codeFolder : builtFolder(template, id);
    const Metadata = { 'aws:asset:path': folder, 'aws:asset:property': 'Code' };
    const Environment = { Variables: { ...resource.Properties?.Environment?.Variables, ...localEnvironment } };
    return [id, { ...resource, Properties: { ...resource.Properties, Architectures, Environment }, Metadata }];
  });
  return { ...template, Resources: Object.fromEntries(resources) };
}

/**
 * The environment variables that point the function to the table of the service on this machine. They include region
 * and credentials, because the shell in which SAM is run by hand may have other ones.
 * @param own this process's environment variables
 */
export const samVariables = (
  name: string,
  { table, dynamodb }: Pick<LocalService, 'table' | 'dynamodb'>,
  own: NodeJS.ProcessEnv,
) => {
  const { region, credentials } = localClientConfig(own);
  return {
    [name]: {
      [variables.table]: table,
      [variables.dynamodb]: dynamodb,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    },
  };
};

/** Adds a token of the service on this machine to an event. */
export function localEvent<Event extends SampleEvent>(event: Event, token: string): Event {
  const authorization = `Bearer ${token}`;
  return {
    ...event,
    headers: { ...event.headers, Authorization: authorization },
    multiValueHeaders: { ...event.multiValueHeaders, Authorization: [authorization] },
  };
}
