import { expect, it } from 'vitest';
import { matchRoute } from '../../../local/gateway/matchRoute.ts';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { sampleResources, sampleTemplate } from '../template/sampleTemplate.ts';

const { routes } = readDeployment(sampleTemplate(sampleResources), 'local-table').api;

it.each([
  ['/open', '/open'],
  ['/open/', '/open'],
  ['/open///', '/open'],
  ['//open', undefined],
  ['/', undefined],
  ['', undefined],
])('the path %j matches %j', (path, resource) => {
  expect(matchRoute(routes, 'POST', path)?.route.resource).toBe(resource);
});

// In linear time this takes milliseconds on any machine. In quadratic time it would take minutes on the fastest.
it.each([
  ['at the end', `/open${'/'.repeat(1_000_000)}`, '/open'],
  ['before something else', `${'/'.repeat(1_000_000)}open`, undefined],
])('a million slashes %s are matched in linear time', (_, path, resource) => {
  expect(matchRoute(routes, 'POST', path)?.route.resource).toBe(resource);
});
