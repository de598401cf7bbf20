import type { Route } from '../template/readApi.ts';

export interface RouteMatch {
  readonly route: Route;
  /** Not decoded, as in API Gateway's events. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** The methods that `ANY` matches. */
const methods = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);

/**
 * Finds a request's route as API Gateway does: first the resource, then the method on it. A fixed segment takes
 * precedence over a parameter, and trailing slashes are ignored.
 * @returns undefined if there is no such resource, or it does not have the method
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): RouteMatch | undefined {
  const segments = segmentsOf(path);
  const matching = routes.filter((route) => fits(route.resource.split('/'), segments));
  // `{` sorts after every character that a fixed segment can start with.
  const resource = matching.map((route) => route.resource).sort()[0];
  const onResource = matching.filter((candidate) => candidate.resource === resource);
  const route =
    onResource.find((one) => one.method === method) ?? (methods.has(method) ? anyOf(onResource) : undefined);
  if (route === undefined) return undefined;
  const names = route.resource.split('/').map((part) => /^\{(.+)\}$/.exec(part)?.[1]);
  const parameters = names.flatMap((name, index) => (name === undefined ? [] : [[name, segments[index] ?? '']]));
  return { route, pathParameters: Object.fromEntries(parameters) };
}

const anyOf = (routes: readonly Route[]): Route | undefined => routes.find(({ method }) => method === 'ANY');

const segmentsOf = (path: string): string[] => path.replace(/\/+$/, '').split('/');

const fits = (parts: readonly string[], segments: readonly string[]): boolean =>
  parts.length === segments.length &&
  parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : segments[index] === part));
