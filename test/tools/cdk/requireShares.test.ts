import { expect, it } from 'vitest';
import type { VersionedFunction } from '../../../cli/liveVersions.ts';
import { settingsOf } from '../../../infra/environments.ts';
import type { TemplateJson } from '../../../tools/cdk/lostResources.ts';
import { requireShares } from '../../../tools/cdk/requireShares.ts';
import { templateOf } from '../../infra/templateOf.ts';

const { shares, ...limits } = settingsOf('prod').throttling;
const templateWith = (enforced?: boolean) =>
  templateOf('prod', {
    throttling: { ...limits, ...(shares && enforced !== undefined && { shares: { ...shares, enforced } }) },
  }).toJSON() as TemplateJson;
const [without, prepared, enforced] = [templateWith(), templateWith(false), templateWith(true)];
const live = (version: string) =>
  [{ name: 'authorizer', deployed: '5', live: { FunctionVersion: version } }] as unknown as VersionedFunction[];

it.each<[string, TemplateJson, TemplateJson, VersionedFunction[]]>([
  ['without shares before', without, enforced, live('5')],
  ['with an earlier authorizer live', prepared, enforced, live('4')],
  ['and then without shares', enforced, without, live('5')],
])('a deployment is refused that enforces shares %s', (_case, before, after, functions) => {
  expect(() => requireShares(before, after, functions)).toThrow('first deploy with throttling.shares.enforced false.');
});

it('only a deployment that begins to enforce shares waits', () => {
  const { table = { Type: '' } } = enforced.Resources;
  expect(requireShares(prepared, enforced, live('5'))).toBe(60);
  expect(requireShares(prepared, enforced, [])).toBe(60);
  const others = [
    [without, prepared],
    [enforced, enforced],
    [enforced, prepared],
    [prepared, without],
  ] as const;
  for (const [before, after] of others) expect(requireShares(before, after, live('5'))).toBe(0);
  // After an import, which leaves no API that could be called.
  expect(requireShares({ Resources: { table } }, enforced, [])).toBe(0);
});
