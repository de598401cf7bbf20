import type { IdentityProvider } from '../access/authorize.ts';
import type { AuthorizerDependencies } from '../http/authorizerHandler.ts';
import { findToken } from '../store/catalog/findToken.ts';
import { openDatabase } from '../store/sdk/connect.ts';
import { readEnvironment, type Source } from './environment.ts';
import { createObserver } from './observer.ts';

export function authorizerDependencies(source: Source): AuthorizerDependencies {
  const environment = readEnvironment(source);
  const database = openDatabase(environment);
  return {
    tokens: { find: (context, token) => findToken(database.for(context), token) },
    identity: environment.identity === undefined ? undefined : openIdentityProvider(environment.identity),
    now: Date.now,
    observe: createObserver(environment),
  };
}

/**
 * The configured identity provider, or several. Their code is in the authorizer's bundle, but is only loaded if one is
 * configured. If loading fails, the function still starts and accepts our own tokens.
 * @param settings as JSON
 */
function openIdentityProvider(settings: string): IdentityProvider {
  const loading = import('../identity/identityProvider.ts').then(({ openProviders }) =>
    openProviders(JSON.parse(settings), { now: Date.now }),
  );
  loading.catch(() => undefined);
  return { verify: async (...token) => (await loading).verify(...token) };
}
