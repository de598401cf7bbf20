import type { TestProject } from 'vitest/node';
import { createApp } from '../../infra/catalogApp.ts';
import type { TableDefinition } from '../../infra/local/deployment.ts';
import { startEngine } from '../../infra/local/engine.ts';
import { readDeployment } from '../../infra/local/readDeployment.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the engine that the whole run shares. */
    dynamodb: string;
    /** The table as the stack defines it; each test file makes one of its own. */
    tableSchema: TableDefinition['schema'];
  }
}

export default async function setup(project: TestProject) {
  const engine = await startEngine();
  const [stack] = createApp({ environment: 'dev', bundling: false }).synth().stacks;
  project.provide('dynamodb', engine.endpoint);
  project.provide('tableSchema', readDeployment(stack?.template, 'test').table.schema);
  return () => engine.stop();
}
