import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../infra/catalogApp.ts';
import type { Settings } from '../../infra/environments.ts';

const awsOnly = { heartbeatToken: undefined, verification: false, customDomain: undefined, eventBus: undefined };

/**
 * Synthesises the stack of the `dev` environment, without what there is only on AWS: functions that run on a
 * schedule, a domain, and events.
 * @param bundling whether to also bundle the functions
 * @param settings settings that override the environment's
 * @returns the template, and the directory of the bundles, which `remove` deletes
 */
export function synthesise(bundling: boolean, settings: Partial<Settings> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    const { stacks } = createApp({
      environment: 'dev',
      bundling,
      settings: { ...settings, ...awsOnly },
      outdir: directory,
    }).synth();
    return { template: stacks[0]?.template, directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
