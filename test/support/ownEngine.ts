import { createApp } from '../../infra/catalogApp.ts';
import type { Engine } from '../../tools/local/engine/startEngine.ts';
import { startEngine } from '../../tools/local/engine/startEngine.ts';
import { readDeployment } from '../../tools/local/template/readDeployment.ts';
import type { TestEngine } from './testTable.ts';

/** Starts an engine, and reads the table's schema from the stack's template. */
export async function startOwnEngine(): Promise<TestEngine & Pick<Engine, 'stop'>> {
  const engine = await startEngine();
  const [stack] = createApp({ environment: 'dev', bundling: false }).synth().stacks;
  const { tables } = readDeployment(stack?.template, 'test');
  return {
    dynamodb: engine.endpoint,
    tableSchema: tables.get('test')?.schema as TestEngine['tableSchema'],
    stop: () => engine.stop(),
  };
}
