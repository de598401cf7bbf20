import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../catalogApp.ts';
import type { Settings } from '../../environments.ts';

/** The cloud assembly of the stack. */
export interface Assembly {
  readonly template: unknown;
  /** Holds the bundles, if they were built. */
  readonly directory: string;
  /** Removes the directory. */
  remove(): void;
}

/**
 * Synthesises the stack of the `dev` environment. Its heartbeat would ask the deployed API, so that there is none.
 * @param bundling whether to bundle the functions too
 * @param settings that replace those of the environment
 */
export function synthesise(bundling: boolean, settings: Partial<Settings> = {}): Assembly {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-'));
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    const { stacks } = createApp({
      environment: 'dev',
      bundling,
      settings: { ...settings, heartbeat: false },
      outdir: directory,
    }).synth();
    return { template: stacks[0]?.template, directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
