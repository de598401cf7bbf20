import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { Sha256 } from '../../../../lib/store/sdk/standIns/checksum.ts';
import {
  loadConfig,
  NODE_REGION_CONFIG_OPTIONS,
  NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS,
  resolveRegionConfig,
} from '../../../../lib/store/sdk/standIns/configuration.ts';
import { defaultProvider } from '../../../../lib/store/sdk/standIns/credentialProvider.ts';

describe('the checksum of a bundle', () => {
  it.each(['', 'text', 'ключ'])('of %j is its SHA-256, or its HMAC if there is a secret', async (text) => {
    const [hash, keyed] = [new Sha256(), new Sha256('secret')];
    for (const each of [hash, keyed]) each.update(text);
    expect(await hash.digest()).toEqual(createHash('sha256').update(text).digest());
    expect(await keyed.digest()).toEqual(createHmac('sha256', 'secret').update(text).digest());
  });
});

describe('the configuration of a bundle', () => {
  it('comes from the environment variables, or is the default', async () => {
    const isFips = () => loadConfig(NODE_USE_FIPS_ENDPOINT_CONFIG_OPTIONS)();
    expect(await isFips()).toBe(false);
    vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'true');
    expect(await isFips()).toBe(true);
    vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'false');
    expect(await isFips()).toBe(false);
  });

  it('has the given region, or the one in the environment variables', async () => {
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    const regionOf = (region: string | (() => Promise<string>)) => resolveRegionConfig({ region }).region();
    expect(await regionOf('eu-central-1')).toBe('eu-central-1');
    expect(await regionOf(async () => (await loadConfig(NODE_REGION_CONFIG_OPTIONS)()) ?? '')).toBe('eu-west-1');
  });

  it('has only the credentials in the environment variables', async () => {
    await expect(defaultProvider()()).rejects.toThrow('environment variables');
  });
});
