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
