import type { Route } from '../template/deployment.ts';

export interface Match {
  readonly route: Route;
  /** The path's parts, as they were sent: API Gateway does not decode them. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the route of a request as API Gateway does: first the resource, where a fixed segment goes before a parameter and
 * slashes at the end do not count, then the method on it.
 * @returns undefined when there is no such resource, or no such method on it
 */
export function matchRoute(routes: readonly Route[], method: string, path: string): Match | undefined {
  const segments = path.replace(/\/+$/, '').split('/');
  const matching = routes.filter((route) => fits(route.resource.split('/'), segments));
  // `{` sorts after every character that a fixed segment starts with.
  const resource = matching.map((route) => route.resource).sort()[0];
  const route = matching.find((candidate) => candidate.resource === resource && candidate.method === method);
  if (route === undefined) return undefined;
  const names = route.resource.split('/').map((part) => /^\{(.+)\}$/.exec(part)?.[1]);
  const parameters = names.flatMap((name, index) => (name === undefined ? [] : [[name, segments[index] ?? '']]));
  return { route, pathParameters: Object.fromEntries(parameters) };
}

const fits = (parts: readonly string[], segments: readonly string[]): boolean =>
  parts.length === segments.length &&
  parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : segments[index] === part));
