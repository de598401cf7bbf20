/** Replaces `@smithy/core/config`. The functions are configured by environment variables only. */

interface Setting<Value> {
  readonly environmentVariableSelector: (environment: NodeJS.ProcessEnv) => Value | undefined;
  readonly default?: Value;
}

export function loadConfig<Value>({ environmentVariableSelector, default: initial }: Setting<Value>) {
  const value = environmentVariableSelector(process.env) ?? initial;
  return async () => value;
}

export const REGION_ENV_NAME = 'AWS_REGION';
export const REGION_INI_NAME = 'region';
export const CONFIG_PREFIX_SEPARATOR = '.';
export const SelectorType = {};
export const ProviderError = Error;

export const booleanSelector = (source: NodeJS.ProcessEnv, name: string): boolean | undefined =>
  source[name] === undefined ? undefined : source[name] === 'true';

const flag = (name: string): Setting<boolean> => ({
  environmentVariableSelector: (environment) => booleanSelector(environment, name),
  default: false,
});

export const NODE_REGION_CONFIG_FILE_OPTIONS = {};
export const NODE_REGION_CONFIG_OPTIONS: Setting<string> = {
  environmentVariableSelector: (environment) => environment[REGION_ENV_NAME],
};
export const NODE_USE_DUALSTACK_ENDPOINT_CONFIG_OPTIONS = flag('AWS_USE_DUALSTACK_ENDPOINT');
export const NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS = flag('AWS_USE_FIPS_ENDPOINT');

export const resolveDefaultsModeConfig = () => async () => 'standard';

export const resolveRegionConfig = <Config extends { readonly region: string | (() => Promise<string>) }>(
  config: Config,
) => {
  const { region } = config;
  return Object.assign(config, { region: async () => (typeof region === 'string' ? region : region()) });
};
