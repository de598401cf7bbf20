import { expect, it } from 'vitest';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';
import { templateOf } from './templateOf.ts';

/** Without the hashes that the contents of functions decide: of assets, and of versions and deployments in their ids. */
const withoutHashes = (text: string): string =>
  text.replaceAll(/\b[0-9a-f]{64}\b/g, 'hash').replaceAll(/([0-9A-F]{8})[0-9a-f]{32}\b/g, '$1hash');

/**
 * What the other tests do not derive from something else, such as limits, schedules, and the rights of roles. After an
 * intended change, `npm test -- test/infra/template.test.ts --update` writes it down, to be read with the change.
 */
it('the template of prod with every optional setting is as it was read last', async () => {
  const template = JSON.stringify(templateOf('prod', optionalSettings).toJSON(), null, 2);
  await expect(`${withoutHashes(template)}\n`).toMatchFileSnapshot('template.json');
});
