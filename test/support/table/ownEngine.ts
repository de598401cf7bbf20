import { type Engine, startEngine } from '../../../local/engine/startEngine.ts';
import { readDeployment } from '../../../local/template/readDeployment.ts';
import { synthesise } from '../../../local/template/synthesise.ts';
import type { TestEngine } from './testTable.ts';

export interface OwnEngine extends TestEngine, Pick<Engine, 'stop'> {
  /** The template of the local service. */
  readonly template: unknown;
}

/** Starts an engine, and reads the table's schema from the template of the local service. */
export async function startOwnEngine(): Promise<OwnEngine> {
  const engine = await startEngine();
  const { template, remove } = synthesise(false);
  remove();
  const { tables } = readDeployment(template, 'test');
  return {
    dynamodb: engine.endpoint,
    tableSchema: tables.get('test')?.schema as TestEngine['tableSchema'],
    template,
    stop: () => engine.stop(),
  };
}
