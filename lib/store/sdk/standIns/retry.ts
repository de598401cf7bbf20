/** Replaces `@smithy/core/retry`. The functions' client sends each message once, because the store retries. */
const options = { environmentVariableSelector: () => undefined, configFileSelector: () => undefined };

export const NODE_MAX_ATTEMPT_CONFIG_OPTIONS = { ...options, default: 1 };
export const NODE_RETRY_MODE_CONFIG_OPTIONS = { ...options, default: 'standard' };
export const DEFAULT_RETRY_MODE = 'standard';
export const RETRY_MODES = { STANDARD: 'standard', ADAPTIVE: 'adaptive' };
export const Retry = { v2026: false };

export const resolveRetryConfig = <Config>(config: Config): Config => config;
/** The signing middleware is placed relative to this name. */
const position = { name: 'retryMiddleware', step: 'finalizeRequest', priority: 'high' } as const;
const passOn = <Handler>(next: Handler): Handler => next;

export const getRetryPlugin = () => ({
  applyToStack: (stack: { add(middleware: typeof passOn, options: typeof position): void }) =>
    stack.add(passOn, position),
});
