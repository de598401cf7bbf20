import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { TestProject } from 'vitest/node';
import { type OwnEngine, startOwnEngine } from '../table/ownEngine.ts';

declare module 'vitest' {
  /** The engine that the whole run shares. Each test file creates its own table. */
  interface ProvidedContext extends Omit<OwnEngine, 'stop'> {}
}

export default async function setup(project: TestProject) {
  const folder = tmpdir();
  // In memory, the engine takes less than half of the time for a write that it takes on a disk.
  if (hasMemory()) process.env['TMPDIR'] = memory;
  const engine = await startOwnEngine();
  process.env['TMPDIR'] = folder;
  project.provide('dynamodb', engine.dynamodb);
  project.provide('tableSchema', engine.tableSchema);
  project.provide('template', engine.template);
  return () => engine.stop();
}

/** The memory of a Linux machine as a folder. */
const memory = '/dev/shm';

/** Whether more of it is free than the tables of a run need: 1 GiB. */
function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize > 2 ** 30;
  } catch {
    return false;
  }
}
