import type { TestProject } from 'vitest/node';
import { type OwnEngine, startOwnEngine } from '../table/ownEngine.ts';

declare module 'vitest' {
  /** The engine that the whole run shares. Each test file creates its own table. */
  interface ProvidedContext extends Omit<OwnEngine, 'stop'> {}
}

export default async function setup(project: TestProject) {
  const engine = await startOwnEngine();
  project.provide('dynamodb', engine.dynamodb);
  project.provide('tableSchema', engine.tableSchema);
  project.provide('template', engine.template);
  return () => engine.stop();
}
