/**
 * Replaces `@aws-sdk/middleware-endpoint-discovery`. The functions use the region's own endpoint, and do not discover
 * others. The original includes an LRU cache, 9 KB with its dependencies.
 */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => false,
  configFileSelector: () => false,
  default: false,
};

export const resolveEndpointDiscoveryConfig = <Config>(config: Config): Config => config;
