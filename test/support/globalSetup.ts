import type { TestProject } from 'vitest/node';
import { synthesise } from '../../tools/local/template/synthesise.ts';
import { startOwnEngine } from './ownEngine.ts';
import type { TestEngine } from './testTable.ts';

declare module 'vitest' {
  /** The engine that the whole run shares. Each test file creates its own table. */
  interface ProvidedContext extends TestEngine {
    /** The template of the local service. */
    readonly template: unknown;
  }
}

export default async function setup(project: TestProject) {
  const engine = await startOwnEngine();
  project.provide('dynamodb', engine.dynamodb);
  project.provide('tableSchema', engine.tableSchema);
  const { template, remove } = synthesise(false);
  remove();
  project.provide('template', template);
  return () => engine.stop();
}
