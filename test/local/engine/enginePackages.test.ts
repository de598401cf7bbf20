import { expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import packageLock from '../../../package-lock.json' with { type: 'json' };

const packages: Readonly<Record<string, object>> = packageLock.packages;
const versions: Readonly<Record<string, string>> = packageJson.optionalDependencies;
const version = versions['@dynoxide/linux-x64'];

it.each([
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['linux', 'arm64'],
  ['linux', 'x64'],
])('the engine for %s on %s is only installed there, in the same version', (os, cpu) => {
  const name = `@dynoxide/${os}-${cpu}`;
  expect(versions[name]).toBe(version);
  expect(packages[`node_modules/${name}`]).toMatchObject({ version, os: [os], cpu: [cpu], optional: true });
});
