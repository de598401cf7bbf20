import type { TestProject } from 'vitest/node';
import { startOwnEngine } from './ownEngine.ts';
import type { TestEngine } from './testTable.ts';

declare module 'vitest' {
  /** The engine that the whole run shares. Each test file creates its own table. */
  interface ProvidedContext extends TestEngine {}
}

export default async function setup(project: TestProject) {
  const engine = await startOwnEngine();
  project.provide('dynamodb', engine.dynamodb);
  project.provide('tableSchema', engine.tableSchema);
  return () => engine.stop();
}
